"""An Azure Resource Manager: one resource store, one small file per resource type."""
