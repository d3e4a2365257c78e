"""Terraform as a library: which engine, how it is run, what its plan says."""
