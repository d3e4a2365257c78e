"""The rules of a plan that no resource type shows by itself, values and schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.terraform_provider import build_schema, planning, schema
from sandbox.terraform_provider.resources import RESOURCES
from sandbox.terraform_provider.values import UNKNOWN, contains_unknown, decode, encode

POOL = "azurerm_kubernetes_cluster_node_pool"
DEFAULTS = {"os_type": "Linux", "priority": "Regular", "spot_max_price": -1}


def pool_plan(config: dict[str, Any], prior: dict[str, Any] | None = None) -> planning.Plan:
    block = schema.resources()[POOL].block
    prior = None if prior is None else block.conform({**DEFAULTS, **prior})
    return planning.plan(RESOURCES[POOL].parts, block, block.conform(config), prior)


def test_defaults_and_unknowns_of_a_creation() -> None:
    value = pool_plan({"name": "gpu"}).value
    assert (value["mode"], value["os_disk_type"], value["priority"]) == ("User", "Managed", "Regular")
    assert value["id"] is UNKNOWN
    assert value["max_pods"] is UNKNOWN
    assert value["node_taints"] is None


def test_an_update_keeps_what_the_service_chose() -> None:
    prior = {"id": "x", "name": "gpu", "max_pods": 110, "mode": "User"}
    plan = pool_plan({"name": "gpu"}, prior)
    assert plan.value["max_pods"] == 110
    assert plan.replace == []


def test_null_and_zero_are_the_same() -> None:
    prior = {"id": "x", "name": "gpu", "fips_enabled": False, "node_taints": []}
    plan = pool_plan({"name": "gpu"}, prior)
    assert plan.value["fips_enabled"] is False
    assert plan.value["node_taints"] == []


def test_a_removed_value_is_a_change() -> None:
    plan = pool_plan({"name": "gpu"}, {"id": "x", "name": "gpu", "node_taints": ["a=b:NoSchedule"]})
    assert plan.value["node_taints"] is None


def test_an_unknown_value_of_a_fixed_attribute_replaces() -> None:
    prior = {"id": "x", "name": "gpu", "kubernetes_cluster_id": "/a"}
    plan = pool_plan({"name": "gpu", "kubernetes_cluster_id": UNKNOWN}, prior)
    assert plan.replace == [("kubernetes_cluster_id",)]


def test_ids_differing_in_case_are_the_same() -> None:
    prior = {"id": "x", "name": "gpu", "kubernetes_cluster_id": "/subscriptions/A"}
    plan = pool_plan({"name": "gpu", "kubernetes_cluster_id": "/SUBSCRIPTIONS/a"}, prior)
    assert plan.replace == []
    assert plan.value["kubernetes_cluster_id"] == "/subscriptions/A"


def test_unsupported_attributes_and_blocks_are_named() -> None:
    block = schema.resources()[POOL].block
    config = block.conform(
        {"name": "gpu", "host_group_id": "h", "windows_profile": [{"outbound_nat_enabled": True}]}
    )
    assert planning.unsupported(RESOURCES[POOL].parts, block, config) == [
        ("host_group_id",),
        ("windows_profile",),
    ]


@pytest.mark.parametrize("name", sorted(RESOURCES))
def test_mappings_name_only_what_the_schema_has(name: str) -> None:
    def check(parts: Any, block: schema.Block) -> None:
        for part in parts:
            if part.name.startswith("("):
                continue  # sent always, no attribute
            if hasattr(part, "parts"):
                check(part.parts, block.blocks[part.name].block)
            else:
                assert part.name in block.attributes, part.name

    check(RESOURCES[name].parts, schema.resources()[name].block)


@pytest.mark.parametrize("name", sorted(RESOURCES))
def test_what_the_schema_requires_is_mapped(name: str) -> None:
    block = schema.resources()[name].block
    mapped = {part.name for part in RESOURCES[name].parts}
    required = {a.name for a in block.attributes.values() if a.required}
    required |= {b.name for b in block.blocks.values() if b.min_items}
    assert required <= mapped


def test_values_survive_the_wire() -> None:
    value = {"a": [1, 2.5, "x", None, True], "b": UNKNOWN, "c": {"d": {"e": UNKNOWN}}}
    assert decode(encode(value)) == value
    assert contains_unknown(value)
    assert decode(encode(None)) is None


def test_schema_is_cut_from_the_full_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attribute = {"type": "string", "required": True, "description": "noise", "description_kind": "plain"}
    body = {"version": 0, "block": {"attributes": {"description": attribute, "x": attribute}}}
    full = {
        "provider": body,
        "resource_schemas": dict.fromkeys((*build_schema.RESOURCES, "azurerm_other"), body),
        "data_source_schemas": dict.fromkeys(build_schema.DATA_SOURCES, body),
    }
    source = tmp_path / "full.json"
    source.write_text(json.dumps({"provider_schemas": {build_schema.PROVIDER: full}}))
    monkeypatch.setattr(build_schema, "__file__", str(tmp_path / "build_schema.py"))
    assert build_schema.main([str(source)]) == 0
    cut = json.loads((tmp_path / "schema.json").read_text())
    assert set(cut["resources"]) == set(build_schema.RESOURCES)
    attributes = cut["resources"]["azurerm_subnet"]["block"]["attributes"]
    assert attributes == {n: {"type": "string", "required": True} for n in ("description", "x")}


def test_every_resource_has_a_schema_and_the_other_way_round() -> None:
    assert set(RESOURCES) == set(schema.resources()) == set(build_schema.RESOURCES)
