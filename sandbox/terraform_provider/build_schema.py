"""Cuts `schema.json` out of the output of `terraform providers schema -json`.

    python -m sandbox.terraform_provider.build_schema FULL.json

Whole resource schemas are kept, descriptions are not; one line a type, so that a diff is readable.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

RESOURCES = (
    "azurerm_kubernetes_cluster",
    "azurerm_kubernetes_cluster_node_pool",
    "azurerm_linux_virtual_machine",
    "azurerm_network_interface",
    "azurerm_network_security_group",
    "azurerm_resource_group",
    "azurerm_role_assignment",
    "azurerm_subnet",
    "azurerm_subnet_network_security_group_association",
    "azurerm_virtual_machine_extension",
    "azurerm_virtual_network",
)
DATA_SOURCES = ("azurerm_client_config",)
PROVIDER = "registry.terraform.io/hashicorp/azurerm"
NOISE = ("description", "description_kind")


def _lean(value: Any, *, names: bool = False) -> Any:
    """`value` without descriptions; `names` marks a level whose keys are attribute or block names."""
    if isinstance(value, dict):
        named = ("attributes", "block_types")
        return {k: _lean(v, names=k in named) for k, v in value.items() if names or k not in NOISE}
    return value


def main(arguments: list[str]) -> int:
    """Write schema.json beside this file from the full schema named in `arguments`."""
    full = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))["provider_schemas"][PROVIDER]
    parts = {
        "provider": {"azurerm": full["provider"]},
        "resources": {name: full["resource_schemas"][name] for name in RESOURCES},
        "data_sources": {name: full["data_source_schemas"][name] for name in DATA_SOURCES},
    }
    sections = []
    for part, schemas in parts.items():
        lines = [
            f"  {json.dumps(name)}: {json.dumps(_lean(schema), sort_keys=True, separators=(',', ':'))}"
            for name, schema in schemas.items()
        ]
        sections.append(f"{json.dumps(part)}: {{\n" + ",\n".join(lines) + "\n}")
    target = Path(__file__).with_name("schema.json")
    target.write_text("{\n" + ",\n".join(sections) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
