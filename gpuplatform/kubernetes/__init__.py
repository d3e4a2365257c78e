"""Kubernetes: a cluster's API opened with our own Entra ID identity, and its errors as ours."""
