"""GPUs: the catalogue of families and SKUs, evidence from machines and nodes, and the diagnosis of both."""
