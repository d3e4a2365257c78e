"""GPU quota: what each subscription may run in each region, read in full, and what could not be read."""
