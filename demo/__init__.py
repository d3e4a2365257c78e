"""The demo: servers, deployments, one platform run and its operator, on this machine."""
