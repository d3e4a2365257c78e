"""The Kubernetes API of emulated AKS clusters."""
