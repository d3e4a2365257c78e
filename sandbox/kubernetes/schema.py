"""Types of the served kinds, read from the data files and linked on first use."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["ANY", "Node", "kind_type", "named"]

_DATA = Path(__file__).parent / "data"


@dataclass(slots=True, eq=False)
class Node:
    """One type. `shape` is scalar, struct, map, list or any."""

    shape: str
    scalar: str = ""
    name: str = ""
    element: Node | None = None
    keys: tuple[str, ...] = ()
    is_set: bool = False
    atomic: bool = False
    merge_key: str | None = None
    required: frozenset[str] = frozenset()
    defaults: dict[str, Any] = field(default_factory=dict)
    present: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    omit_zero: frozenset[str] = frozenset()
    source: dict[str, Any] = field(default_factory=dict)
    custom: bool = False
    linked: dict[str, Node] | None = None

    @property
    def fields(self) -> dict[str, Node]:
        """The members of a struct."""
        if self.linked is None:
            self.linked = {key: _node(value) for key, value in self.source.items()}
        return self.linked

    def child(self, key: str) -> Node | None:
        """The type of a member of a struct or map."""
        if self.shape == "struct":
            return self.fields.get(key)
        return self.element


ANY = Node("any", atomic=True)


def _read(name: str) -> Any:
    return json.loads((_DATA / name).read_text(encoding="utf-8"))


@cache
def _tables() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    builtin, custom, facts = _read("schema.json"), _read("custom_schema.json"), _read("facts.json")
    return {**builtin["kinds"], **custom["kinds"]}, {**builtin["types"], **custom["types"]}, facts


@cache
def named(name: str) -> Node:
    """A struct by its name in the tables, such as `core.v1.Pod`."""
    entry = _tables()[1][name]
    facts = _tables()[2]
    custom = name.partition(".")[0] in ("kueue", "kueue1", "volcano")
    return Node(
        "struct",
        name=name,
        source=entry["f"],
        required=frozenset(entry.get("r", ())),
        atomic=bool(entry.get("a")),
        defaults=entry.get("d", {}) if custom else facts["defaults"].get(name, {}),
        custom=custom,
        present=facts["present"].get(name, {}),
        limits=entry.get("v", {}),
        omit_zero=frozenset(facts["omit_zero"].get(name, ())),
    )


@cache
def _scalar(letter: str) -> Node:
    return ANY if letter == "*" else Node("scalar", scalar=letter)


def _node(expression: Any) -> Node:
    if isinstance(expression, str):
        return named(expression[1:]) if expression.startswith("#") else _scalar(expression)
    if "t" in expression:
        base = named(expression["t"][1:])
        return Node(
            "struct",
            name=base.name,
            source=base.source,
            required=base.required,
            atomic=True,
            defaults=base.defaults,
            present=base.present,
            limits=base.limits,
            omit_zero=base.omit_zero,
            custom=base.custom,
        )
    if "m" in expression:
        return Node("map", element=_node(expression["m"]), atomic=bool(expression.get("a")))
    keys = tuple(expression.get("k", ()))
    is_set = bool(expression.get("set"))
    return Node(
        "list",
        element=_node(expression["l"]),
        keys=keys,
        is_set=is_set,
        atomic=not keys and not is_set,
        merge_key=expression.get("p"),
    )


def kind_type(group: str, version: str, kind: str) -> Node:
    """The type of a kind's objects; ANY when the tables do not know it."""
    name = _tables()[0].get(f"{group}/{version}/{kind}")
    return named(name) if name else ANY
