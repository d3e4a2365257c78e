"""The record of a provisioning run, its approval, and where it is kept."""
