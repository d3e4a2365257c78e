"""What an operator reads of a plan."""

from __future__ import annotations

import pytest

from gpuplatform.terraform.disruption import disruptive_attributes
from gpuplatform.terraform.summary import MAX_ROWS, summarize
from tests.terraform_engine.test_plan import change, plan

POOL = "azurerm_kubernetes_cluster_node_pool"


def test_create_shows_what_decides() -> None:
    text = summarize(
        plan(
            change(
                address=f"{POOL}.gpu",
                type=POOL,
                actions=["create"],
                before=None,
                after={
                    "name": "gpu",
                    "vm_size": "Standard_NC4as_T4_v3",
                    "min_count": 1,
                    "max_count": 3,
                    "mode": "User",
                },
                after_unknown={"id": True, "priority": True},
            )
        )
    )
    assert text.splitlines()[0] == "**1 to add, 0 to change, 0 to replace, 0 to destroy**"
    assert (
        f"| add | `{POOL}.gpu` | name gpu, vm_size Standard_NC4as_T4_v3, min_count 1, max_count 3 |"
    ) in text


def test_an_update_that_rebuilds_nodes_is_flagged() -> None:
    found = plan(
        change(
            address=f"{POOL}.gpu",
            type=POOL,
            actions=["update"],
            before={"vm_size": "Standard_NC6", "max_count": 2},
            after={"vm_size": "Standard_NC12", "max_count": 3},
        ),
        change(
            address=f"{POOL}.other",
            type=POOL,
            actions=["update"],
            before={"max_count": 2},
            after={"max_count": 3},
        ),
    )
    assert [disruptive_attributes(item) for item in found.changes] == [("vm_size",), ()]
    text = summarize(found)
    assert "⚠ 1 update marked below rebuild nodes" in text
    assert (
        f"| change ⚠ rebuilds nodes | `{POOL}.gpu` | max_count 2 → 3, vm_size Standard_NC6 → Standard_NC12 |"
    ) in text
    assert f"| change | `{POOL}.other` | max_count 2 → 3 |" in text


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"vm_size": "a"}, {"vm_size": "b"}, ("default_node_pool.vm_size",)),
        ({"node_count": 1}, {"node_count": 2}, ()),
    ],
)
def test_default_node_pool(
    before: dict[str, object], after: dict[str, object], expected: tuple[str, ...]
) -> None:
    (found,) = plan(
        change(
            type="azurerm_kubernetes_cluster",
            actions=["update"],
            before={"default_node_pool": [before]},
            after={"default_node_pool": [after]},
        )
    ).changes
    assert disruptive_attributes(found) == expected


def test_destroy_comes_first_and_replacement_names_its_cause() -> None:
    text = summarize(
        plan(
            change(address="a.new", actions=["create"], after={"name": "n"}),
            change(
                address="a.replaced",
                actions=["delete", "create"],
                before={"gpu_driver": "None", "zone": "1"},
                after={"gpu_driver": "Install", "zone": "2"},
                replace_paths=[["gpu_driver"]],
            ),
            change(address="a.old", actions=["delete"], before={"name": "o", "location": "eastus2"}),
        )
    )
    assert text.startswith("**1 to add, 0 to change, 1 to replace, 1 to destroy**")
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert [row.split("`")[1] for row in rows[1:]] == ["a.old", "a.replaced", "a.new"]
    assert "gpu_driver None → Install (forces replacement), zone 1 → 2" in rows[2]


def test_length_is_bounded() -> None:
    text = summarize(plan(*(change(address=f"a.x{n}", actions=["create"], after={}) for n in range(500))))
    assert f"… and {500 - MAX_ROWS} more resources" in text
    assert len(text.splitlines()) < MAX_ROWS + 20


def test_long_and_strange_values_stay_in_their_cell() -> None:
    text = summarize(plan(change(actions=["update"], before={"a": "x|y\nz"}, after={"a": "long" * 1000})))
    row = next(line for line in text.splitlines() if "azurerm_thing.x" in line)
    assert "x\\|y z" in row
    assert len(row) < 300


def test_secrets_change_without_being_shown() -> None:
    text = summarize(
        plan(
            change(
                actions=["update"],
                before={"key": "old"},
                after={"key": "new"},
                before_sensitive={"key": True},
                after_sensitive={"key": True},
            )
        )
    )
    assert "key (sensitive value changes)" in text


def test_outputs_moves_and_drift() -> None:
    text = summarize(
        plan(
            change(address="a.new", actions=["no-op"], previous_address="a.old", before={}, after={}),
            output_changes={"size": {"actions": ["update"]}, "same": {"actions": ["no-op"]}},
            resource_drift=[
                change(address="a.gone", actions=["delete"], before={"n": 1}),
                change(address="a.other", actions=["update"], before={"n": 1}, after={"n": 2}),
            ],
        )
    )
    assert "Moved: `a.old` → `a.new`" in text
    assert "Outputs that change: `size`" in text
    assert "- `a.gone` is gone\n- `a.other`: n" in text
