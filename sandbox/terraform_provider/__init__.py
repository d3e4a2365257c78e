"""A stand-in for the Terraform provider hashicorp/azurerm: a plugin whose schema is the real one's.

It makes the requests that azurerm makes, for the resource types in `resources/`, with Python alone:
the released provider's 200 MB are not needed, and neither are its waits. COVERAGE.md lists what it
knows and where it differs. Terraform starts one process a phase, so imports are kept few.
"""
