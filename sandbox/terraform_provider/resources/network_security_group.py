"""azurerm_network_security_group."""

from __future__ import annotations

from typing import Any

from sandbox.terraform_provider.mapping import Field
from sandbox.terraform_provider.resources.base import Context, Resource, Values
from sandbox.terraform_provider.resources.common import LOCATION, NAME, RESOURCE_GROUP, TAGS, ids, reference

# Terraform's name → ARM's; a rule is an attribute that may be written as a block.
_TEXTS = {
    "access": "access",
    "description": "description",
    "destination_address_prefix": "destinationAddressPrefix",
    "destination_port_range": "destinationPortRange",
    "direction": "direction",
    "priority": "priority",
    "protocol": "protocol",
    "source_address_prefix": "sourceAddressPrefix",
    "source_port_range": "sourcePortRange",
}
_SETS = {
    "destination_address_prefixes": "destinationAddressPrefixes",
    "destination_port_ranges": "destinationPortRanges",
    "source_address_prefixes": "sourceAddressPrefixes",
    "source_port_ranges": "sourcePortRanges",
}
_GROUPS = {
    "destination_application_security_group_ids": "destinationApplicationSecurityGroups",
    "source_application_security_group_ids": "sourceApplicationSecurityGroups",
}


def _normal(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rules with the zero values that the service gives for what nobody wrote."""
    defaults: dict[str, Any] = {**dict.fromkeys(_TEXTS, ""), **{k: [] for k in (*_SETS, *_GROUPS)}}
    return [{k: defaults.get(k) if v is None else v for k, v in rule.items()} for rule in rules]


def _to_arm(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": rule["name"], "properties": _properties(rule)} for rule in rules]


def _properties(rule: dict[str, Any]) -> dict[str, Any]:
    pairs = {**_TEXTS, **_SETS}
    body = {arm: rule[name] for name, arm in pairs.items() if rule.get(name) not in (None, "", [])}
    for name, arm in _GROUPS.items():
        if rule.get(name):
            body[arm] = [reference(group) for group in rule[name]]
    return body


def _from_arm(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rules = []
    for entry in found:
        body = entry["properties"]
        rule: dict[str, Any] = {"name": entry["name"]}
        rule.update({name: body.get(arm, "") for name, arm in _TEXTS.items()})
        rule.update({name: sorted(body.get(arm) or []) for name, arm in _SETS.items()})
        rule.update({name: sorted(ids(body.get(arm) or [])) for name, arm in _GROUPS.items()})
        rules.append(rule)
    return rules


class NetworkSecurityGroup(Resource):
    """Its rules are inline."""

    type_name = "azurerm_network_security_group"
    title = "Network Security Group"
    api_version = "2025-01-01"
    parts = (
        NAME,
        RESOURCE_GROUP,
        LOCATION,
        TAGS,
        Field(
            "security_rule",
            "properties.securityRules",
            empty=[],
            normalise=_normal,
            write=_to_arm,
            read=_from_arm,
        ),
    )

    def resource_id(self, values: Values, context: Context) -> str:
        group = f"{context.subscription}/resourceGroups/{values['resource_group_name']}"
        return f"{group}/providers/Microsoft.Network/networkSecurityGroups/{values['name']}"

    def template(self, values: Values) -> dict[str, Any]:
        return {"name": values["name"]}
