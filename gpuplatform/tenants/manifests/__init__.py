"""The Kubernetes objects of a tenant and of the platform as plain data; no cluster is needed to make them."""
