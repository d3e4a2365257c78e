"""Plan and apply of an environment: Terraform, the state storage and the run record together."""
