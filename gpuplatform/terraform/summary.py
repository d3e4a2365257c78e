"""A plan as an operator reads it: the counts first, then what happens to what."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from gpuplatform.approval.record import Counts
from gpuplatform.reporting.markdown import count, table
from gpuplatform.scrubbing import scrub
from gpuplatform.terraform.disruption import disruptive_attributes
from gpuplatform.terraform.masks import UNKNOWN
from gpuplatform.terraform.plan import Action, Plan, ResourceChange

__all__ = ["plan_counts", "summarize"]

MAX_ROWS = 60
MAX_DRIFT = 20
MAX_DETAILS = 400
MAX_VALUE = 80

_KEY_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "azurerm_kubernetes_cluster": (
        "name",
        "kubernetes_version",
        "sku_tier",
        "default_node_pool.0.vm_size",
        "default_node_pool.0.node_count",
    ),
    "azurerm_kubernetes_cluster_node_pool": (
        "name", "vm_size", "min_count", "max_count", "node_count", "priority",
    ),
    "azurerm_linux_virtual_machine": ("name", "size", "priority"),
    "azurerm_resource_group": ("name", "location"),
    "azurerm_role_assignment": ("role_definition_name",),
    "azurerm_subnet": ("name", "address_prefixes"),
    "azurerm_virtual_machine_extension": ("name", "publisher", "type_handler_version"),
    "azurerm_virtual_network": ("name", "address_space"),
}  # fmt: skip
"""What decides about cost and reach of a resource; for other types it is the name and location."""
_OTHER_TYPES = ("name", "location")

_ORDER = (Action.DELETE, Action.REPLACE, Action.UPDATE, Action.CREATE, Action.FORGET, Action.OTHER)
_WORDS = {
    Action.CREATE: "add",
    Action.UPDATE: "change",
    Action.REPLACE: "**replace**",
    Action.DELETE: "**destroy**",
    Action.FORGET: "forget",
    Action.OTHER: "**unknown action**",
}


def plan_counts(plan: Plan) -> Counts:
    return Counts(
        add=len(plan.of(Action.CREATE)),
        change=len(plan.of(Action.UPDATE)),
        replace=len(plan.of(Action.REPLACE)),
        destroy=len(plan.of(Action.DELETE)),
    )


def summarize(plan: Plan) -> str:
    """Markdown of a plan, at most `MAX_ROWS` resources long: what destroys comes first."""
    counts = plan_counts(plan)
    lines = [f"**{counts}**"]
    rebuilt = [change for change in plan.changes if disruptive_attributes(change)]
    if rebuilt:
        lines.append(
            f"⚠ {count(len(rebuilt), 'update')} marked below rebuild nodes without draining them,"
            " and need about twice the quota meanwhile."
        )
    lines += [f"⚠ check failed: `{name}`" for name in plan.failed_checks[:10]]
    changes = sorted(plan.of(*_ORDER), key=lambda change: (_ORDER.index(change.action), change.address))
    if changes:
        rows = [
            (_what(change), f"`{change.address}`", _short(_details(change), MAX_DETAILS))
            for change in changes[:MAX_ROWS]
        ]
        lines.append(table(("What", "Resource", "Key attributes"), rows))
        lines += _more(len(changes) - MAX_ROWS, "resource")
    lines += _moves(plan.changes)
    outputs = [item for item in plan.outputs if item.action is not Action.NO_OP]
    if outputs:
        names = ", ".join(f"`{item.name}`" for item in outputs[:20])
        lines.append(f"Outputs that change: {names}{' …' if len(outputs) > 20 else ''}")
    drift = [item for item in plan.drift if item.action is not Action.NO_OP]
    if drift:
        lines.append(f"Changed outside Terraform since the last run ({len(drift)}):")
        lines.append("\n".join(f"- {_drift(item)}" for item in drift[:MAX_DRIFT]))
        lines += _more(len(drift) - MAX_DRIFT, "resource")
    return scrub("\n\n".join(lines))


def _what(change: ResourceChange) -> str:
    word = "import" if change.importing and change.action is Action.NO_OP else _WORDS[change.action]
    return f"{word} ⚠ rebuilds nodes" if disruptive_attributes(change) else word


def _details(change: ResourceChange) -> str:
    if change.action in (Action.UPDATE, Action.REPLACE):
        forcing = {path.split(".", 1)[0] for path in change.replace_paths}
        # What an update cannot know yet is not what it is about.
        names = [
            name for name in change.changed_attributes if change.after.get(name) != UNKNOWN or name in forcing
        ]
        names.sort(key=lambda name: (name not in forcing, name))
        parts = [_difference(change, name, name in forcing) for name in names[:8]]
        if len(names) > 8:
            parts.append(f"{len(names) - 8} more")
        return ", ".join(parts)
    values = change.before if change.action in (Action.DELETE, Action.FORGET) else change.after
    return ", ".join(
        f"{path.rsplit('.', 1)[-1]} {_value(found)}"
        for path in _KEY_ATTRIBUTES.get(change.type, _OTHER_TYPES)
        if (found := _at(values, path)) not in (None, "", UNKNOWN)
    )


def _difference(change: ResourceChange, name: str, forces: bool) -> str:
    if name in change.hidden:
        text = f"{name} (sensitive value changes)"
    else:
        text = f"{name} {_value(change.before.get(name))} → {_value(change.after.get(name))}"
    return f"{text} (forces replacement)" if forces else text


def _drift(item: ResourceChange) -> str:
    if item.action is Action.DELETE:
        return f"`{item.address}` is gone"
    names = ", ".join(item.changed_attributes[:8]) or "something"
    return f"`{item.address}`: {names}"


def _moves(changes: Iterable[ResourceChange]) -> list[str]:
    moved = [change for change in changes if change.previous_address]
    imported = [change for change in changes if change.importing]
    lines = [f"Moved: `{change.previous_address}` → `{change.address}`" for change in moved[:MAX_DRIFT]]
    lines += _more(len(moved) - MAX_DRIFT, "move")
    lines += [f"Imported: `{change.address}`" for change in imported[:MAX_DRIFT]]
    return lines + _more(len(imported) - MAX_DRIFT, "import")


def _more(number: int, what: str) -> list[str]:
    return [f"… and {count(number, f'more {what}')}"] if number > 0 else []


def _at(values: Any, path: str) -> Any:
    for part in path.split("."):
        if isinstance(values, Mapping):
            values = values.get(part)
        elif isinstance(values, list) and part.isdigit() and int(part) < len(values):
            values = values[int(part)]
        else:
            return None
    return values


def _value(value: Any) -> str:
    if value is None:
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _short(" ".join(text.split()), MAX_VALUE)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
