"""A plan document as data: actions, masks, unknown values, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpuplatform.errors import PlatformError
from gpuplatform.terraform.masks import SENSITIVE, UNKNOWN, redact, with_unknown
from gpuplatform.terraform.plan import Action, Plan, parse_plan


def change(**fields: Any) -> dict[str, Any]:
    resource = {
        "address": fields.pop("address", "azurerm_thing.x"),
        "type": fields.pop("type", "azurerm_thing"),
        "name": "x",
        "mode": "managed",
    }
    for key in ("action_reason", "previous_address"):
        if key in fields:
            resource[key] = fields.pop(key)
    return {**resource, "change": fields}


def plan(*changes: dict[str, Any], **more: Any) -> Plan:
    return parse_plan(json.dumps({"format_version": "1.2", "resource_changes": list(changes), **more}))


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (["no-op"], Action.NO_OP),
        (["create"], Action.CREATE),
        (["read"], Action.READ),
        (["update"], Action.UPDATE),
        (["delete", "create"], Action.REPLACE),
        (["create", "delete"], Action.REPLACE),
        (["delete"], Action.DELETE),
        (["forget"], Action.FORGET),
        (["create", "forget"], Action.OTHER),
        (["transmogrify"], Action.OTHER),
        ([], Action.NO_OP),
    ],
)
def test_actions(actions: list[str], expected: Action) -> None:
    assert plan(change(actions=actions)).changes[0].action is expected


def test_fields() -> None:
    (found,) = plan(
        change(
            actions=["delete", "create"],
            action_reason="replace_because_cannot_update",
            previous_address="azurerm_thing.y",
            replace_paths=[["gpu_driver"], ["block", 0, "x"]],
            before={"gpu_driver": "None", "size": 1},
            after={"gpu_driver": "Install", "size": 1},
            after_unknown={"id": True},
        )
    ).changes
    assert found.reason == "replace_because_cannot_update"
    assert found.previous_address == "azurerm_thing.y"
    assert found.replace_paths == ("gpu_driver", "block.0.x")
    assert found.after["id"] == UNKNOWN
    assert found.changed_attributes == ("gpu_driver", "id")


def test_sensitive_values_are_hidden_but_their_change_is_seen() -> None:
    (found,) = plan(
        change(
            actions=["update"],
            before={"password": "old-secret", "same": "s", "nested": [{"key": "k1"}]},
            after={"password": "new-secret", "same": "s", "nested": [{"key": "k2"}]},
            before_sensitive={"password": True, "same": True, "nested": [{"key": True}]},
            after_sensitive={"password": True, "same": True, "nested": [{"key": True}]},
        )
    ).changes
    assert "secret" not in repr(found)
    assert "k1" not in repr(found)
    assert found.before["password"] == SENSITIVE
    assert found.changed_attributes == ("nested", "password")


def test_whole_resource_hidden() -> None:
    (found,) = plan(
        change(actions=["create"], before=None, after={"a": "secret"}, after_sensitive=True)
    ).changes
    assert "secret" not in repr(found)


def test_outputs_checks_and_drift() -> None:
    found = plan(
        output_changes={"b": {"actions": ["create"]}, "a": {"actions": ["no-op"]}},
        planned_values={
            "outputs": {
                "a": {"sensitive": False, "value": 1},
                "b": {"sensitive": True, "value": "secret"},
                "c": {"sensitive": False},
            }
        },
        resource_drift=[change(actions=["update"], before={"n": 1}, after={"n": 2})],
        checks=[
            {"address": {"to_display": "check.ok"}, "status": "pass"},
            {"address": {"to_display": "check.bad"}, "status": "fail"},
        ],
        something_new={"x": 1},
    )
    assert [(item.name, item.action) for item in found.outputs] == [
        ("a", Action.NO_OP),
        ("b", Action.CREATE),
    ]
    assert found.planned_outputs == {"a": 1}
    assert found.drift[0].changed_attributes == ("n",)
    assert found.failed_checks == ("check.bad",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a plan in JSON"),
        ("[]", "not a plan in JSON"),
        ('{"format_version": "2.0"}', "newer than the one known"),
        ('{"format_version": "1.2", "errored": true}', "broke off with an error"),
        ('{"format_version": "1.2", "complete": false}', "deferred"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(PlatformError, match=message):
        parse_plan(text)


@pytest.mark.parametrize(
    ("value", "mask", "expected"),
    [
        ({"a": 1}, {"a": True}, {"a": SENSITIVE}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": True}}, {"a": {"b": SENSITIVE, "c": 2}}),
        ([1, 2], [True], [SENSITIVE, 2]),
        ([1], [False, True], [1]),
        ({"a": 1}, {"z": True}, {"a": 1}),
        ("x", True, SENSITIVE),
        ("x", {"a": True}, "x"),
        (None, None, None),
        (None, True, SENSITIVE),
    ],
)
def test_redact(value: Any, mask: Any, expected: Any) -> None:
    assert redact(value, mask) == expected


@pytest.mark.parametrize(
    ("value", "unknown", "expected"),
    [
        ({"a": 1}, {"id": True}, {"a": 1, "id": UNKNOWN}),
        ({"a": 1}, {"b": {}}, {"a": 1}),
        ({"a": [{"x": 1}]}, {"a": [{"y": True}]}, {"a": [{"x": 1, "y": UNKNOWN}]}),
        (None, {"id": True}, {"id": UNKNOWN}),
        (None, False, None),
        (["a"], [True], [UNKNOWN]),
        (["a"], [False, True], ["a", UNKNOWN]),
        ([], [], []),
        ("a", None, "a"),
    ],
)
def test_with_unknown(value: Any, unknown: Any, expected: Any) -> None:
    assert with_unknown(value, unknown) == expected
