"""Tenants: what a team asks for, and the objects in the cluster that give it to them."""
