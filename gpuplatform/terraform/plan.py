"""A Terraform plan as data, from `terraform show -json`, its sensitive values already hidden."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from gpuplatform.errors import PlatformError
from gpuplatform.terraform.masks import SENSITIVE, redact, with_unknown
from gpuplatform.terraform.outputs import visible_outputs

__all__ = ["Action", "OutputChange", "Plan", "ResourceChange", "parse_plan"]


class Action(StrEnum):
    """What happens to a resource; `replace` is Terraform's delete and create in either order."""

    NO_OP = "no-op"
    CREATE = "create"
    READ = "read"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    FORGET = "forget"
    OTHER = "other"
    """One that this version does not know: to be shown, never to be overlooked."""


@dataclass(frozen=True)
class ResourceChange:
    """The change of one resource instance. `before` and `after` hold no sensitive value in clear."""

    address: str
    type: str
    name: str
    mode: str
    action: Action
    actions: tuple[str, ...]
    reason: str = ""
    previous_address: str = ""
    importing: bool = False
    replace_paths: tuple[str, ...] = ()
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    """Top-level attributes that change but whose values are sensitive."""

    @property
    def changed_attributes(self) -> tuple[str, ...]:
        """Top-level attributes that differ before and after, sorted."""
        names = self.before.keys() | self.after.keys()
        differing = {name for name in names if self.before.get(name) != self.after.get(name)}
        return tuple(sorted(differing | self.hidden))


@dataclass(frozen=True)
class OutputChange:
    name: str
    action: Action


@dataclass(frozen=True)
class Plan:
    """A whole plan. `complete` is false where parts were deferred, `errored` where planning broke off."""

    terraform_version: str
    changes: tuple[ResourceChange, ...]
    outputs: tuple[OutputChange, ...]
    drift: tuple[ResourceChange, ...]
    planned_outputs: Mapping[str, Any]
    """Outputs that are known already and not sensitive."""
    complete: bool
    errored: bool
    failed_checks: tuple[str, ...] = ()

    def of(self, *actions: Action) -> tuple[ResourceChange, ...]:
        return tuple(change for change in self.changes if change.action in actions)


def parse_plan(text: str) -> Plan:
    """The plan of `terraform show -json`; unknown keys and actions are tolerated.

    Raises:
        PlatformError: it is not such a document, is of a newer major format, or is not a whole plan.
    """
    try:
        document = json.loads(text)
        version = str(document["format_version"])
    except (ValueError, KeyError, TypeError):
        raise PlatformError("reading the plan: Terraform's answer is not a plan in JSON") from None
    if version.split(".", 1)[0] != "1":
        raise PlatformError(f"reading the plan: its format {version} is newer than the one known, 1.x")
    plan = Plan(
        terraform_version=str(document.get("terraform_version", "")),
        changes=tuple(_change(item) for item in document.get("resource_changes") or ()),
        outputs=tuple(
            OutputChange(name, _action(tuple(change.get("actions") or ())))
            for name, change in sorted((document.get("output_changes") or {}).items())
        ),
        drift=tuple(_change(item) for item in document.get("resource_drift") or ()),
        planned_outputs=visible_outputs((document.get("planned_values") or {}).get("outputs") or {}),
        complete=bool(document.get("complete", True)),
        errored=bool(document.get("errored", False)),
        failed_checks=tuple(_failed_checks(document.get("checks") or ())),
    )
    if plan.errored:
        raise PlatformError("reading the plan: planning broke off with an error, so it is not a whole plan")
    if not plan.complete:
        raise PlatformError("reading the plan: parts of it were deferred, so it is not a whole plan")
    return plan


def _action(actions: tuple[str, ...]) -> Action:
    if "delete" in actions and "create" in actions:
        return Action.REPLACE
    if not actions:
        return Action.NO_OP
    try:
        (only,) = actions
        return Action(only)
    except ValueError:
        return Action.OTHER


def _change(item: Mapping[str, Any]) -> ResourceChange:
    change = item.get("change") or {}
    actions = tuple(str(action) for action in change.get("actions") or ())
    raw_before: Any = change.get("before")
    raw_after: Any = change.get("after")
    before = redact(raw_before, change.get("before_sensitive"))
    after = with_unknown(redact(raw_after, change.get("after_sensitive")), change.get("after_unknown"))
    # Both sides show the same word where a secret changes; the comparison needs the values themselves.
    hidden = {
        name
        for name in _mapping(raw_before).keys() & _mapping(raw_after).keys()
        if raw_before[name] != raw_after[name] and _mapping(before).get(name) == _mapping(after).get(name)
    }
    return ResourceChange(
        address=str(item.get("address", "")),
        type=str(item.get("type", "")),
        name=str(item.get("name", "")),
        mode=str(item.get("mode", "managed")),
        action=_action(actions),
        actions=actions,
        reason=str(item.get("action_reason", "")),
        previous_address=str(item.get("previous_address", "")),
        importing="importing" in change,
        replace_paths=tuple(".".join(map(str, path)) for path in change.get("replace_paths") or ()),
        before=_mapping(before),
        after=_mapping(after),
        hidden=frozenset(hidden),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    # A mask may hide a whole resource.
    return {} if value is None else {"*": SENSITIVE}


def _failed_checks(checks: Any) -> list[str]:
    return [
        str((check.get("address") or {}).get("to_display", "?"))
        for check in checks
        if check.get("status") in {"fail", "error"}
    ]
