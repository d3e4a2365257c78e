"""The storage account that holds Terraform's state and the run records."""
