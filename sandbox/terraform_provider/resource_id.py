"""Azure resource ids: their parts, and how azurerm names them in its messages."""

from __future__ import annotations

__all__ = ["describe", "name_of", "parent_of", "resource_group_of", "same_id", "segment"]

# The words azurerm uses for the segments of an id.
_WORDS = {
    "subscriptions": "Subscription",
    "resourceGroups": "Resource Group Name",
    "managedClusters": "Kubernetes Cluster Name",
    "agentPools": "Agent Pool Name",
    "virtualNetworks": "Virtual Network Name",
    "subnets": "Subnet Name",
    "networkSecurityGroups": "Network Security Group Name",
    "networkInterfaces": "Network Interface Name",
    "virtualMachines": "Virtual Machine Name",
    "extensions": "Extension Name",
    "roleAssignments": "Role Assignment Name",
}


def segment(resource_id: str, kind: str) -> str:
    """The name after the segment `kind` (any case), such as "resourceGroups"; "" where absent."""
    parts = resource_id.strip("/").split("/")
    for key, value in zip(parts[::2], parts[1::2], strict=False):
        if key.lower() == kind.lower():
            return value
    return ""


def name_of(resource_id: str) -> str:
    """The last segment."""
    return resource_id.rstrip("/").rpartition("/")[2]


def parent_of(resource_id: str) -> str:
    """The id without its last type and name."""
    return resource_id.rstrip("/").rsplit("/", 2)[0]


def resource_group_of(resource_id: str) -> str:
    """The name of the resource group in the id."""
    return segment(resource_id, "resourceGroups")


def same_id(one: object, other: object) -> bool:
    """Whether two ids name the same resource; ids have no case."""
    return isinstance(one, str) and isinstance(other, str) and one.lower() == other.lower()


def describe(resource_id: str) -> str:
    """The parenthesis in azurerm's messages: each part of the id on its own line."""
    parts = resource_id.strip("/").split("/")
    named = [
        f'{_WORDS[key]}: "{value}"'
        for key, value in zip(parts[::2], parts[1::2], strict=False)
        if key in _WORDS
    ]
    return "(" + "\n".join(named) + ")"
