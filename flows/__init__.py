"""Prefect flows, one file a flow that can be deployed."""
