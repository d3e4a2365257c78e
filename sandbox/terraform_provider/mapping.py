"""The declarative mapping between a Terraform block and an ARM body.

A resource type lists its `Field`s and `Nested` blocks; planning, requests, reads and the check for
what is not supported all follow from the list.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandbox.terraform_provider.values import UNKNOWN, is_zero

__all__ = ["Field", "Nested", "Part", "dig", "from_arm", "plant", "prune", "to_arm"]

Convert = Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Field:
    """One attribute.

    Attributes:
        path: dotted place in the ARM body; "" where ARM has none.
        default: azurerm's value for a null in the configuration.
        empty: what is sent for null; with None the body has no such value.
        absent: what the state holds where ARM has nothing.
        force_new: a change replaces the resource.
        rotates: a change recreates the node pool behind the same resource.
        write: from Terraform's value to ARM's.
        read: from ARM's value to Terraform's.
        normalise: applied to the configured value at plan.
        equal: tells a difference that is none (a suppressed diff).
        read_only: never sent.
    """

    name: str
    path: str = ""
    default: Any = None
    empty: Any = None
    absent: Any = None
    force_new: bool = False
    rotates: bool = False
    write: Convert = _same
    read: Convert = _same
    normalise: Convert = _same
    equal: Callable[[Any, Any], bool] | None = None
    read_only: bool = False


@dataclass(frozen=True)
class Nested:
    """A nested block, mapped to an object (`many` False) or a list of objects at `path`.

    `computed`: without such a block in the configuration the one that ARM has is kept in the state.
    `inner`: path inside each object of the list at which the fields' paths begin.
    """

    name: str
    path: str
    parts: tuple[Part, ...]
    many: bool = False
    computed: bool = False
    force_new: bool = False
    rotates: bool = False
    key: str = ""


Part = Field | Nested


def dig(body: Any, path: str) -> Any:
    """The value at the dotted `path` in `body`; None where there is none."""
    for step in path.split(".") if path else ():
        if not isinstance(body, Mapping):
            return None
        body = body.get(step)
    return body


def plant(body: dict[str, Any], path: str, value: Any) -> None:
    """Set the value at the dotted `path` in `body`, making the objects on the way."""
    *steps, last = path.split(".")
    for step in steps:
        if not isinstance(body.get(step), dict):
            body[step] = {}
        body = body[step]
    body[last] = value


def prune(body: dict[str, Any], path: str) -> None:
    """Remove the value at the dotted `path` from `body`, if it is there."""
    *steps, last = path.split(".")
    for step in steps:
        if not isinstance(body.get(step), dict):
            return
        body = body[step]
    body.pop(last, None)


def to_arm(parts: Iterable[Part], values: Mapping[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """Put `values` into `body` (changed in place and returned), each whole at its own path.

    What is null and has nothing to be sent instead is taken out of the body; what is unknown stays.
    """
    for part in parts:
        value = values.get(part.name)
        if isinstance(part, Nested):
            _block_to_arm(part, value, body)
        elif part.path and not part.read_only:
            unset = value is None or value is UNKNOWN
            sent = copy.deepcopy(part.empty) if unset else part.write(value)
            if sent is not None:
                plant(body, part.path, sent)
            elif value is not UNKNOWN:
                prune(body, part.path)
    return body


def _block_to_arm(part: Nested, blocks: Any, body: dict[str, Any]) -> None:
    if not isinstance(blocks, list) or not part.path:
        return
    if part.many:
        before = {item.get("name"): item for item in dig(body, part.path) or [] if part.key}
        plant(
            body,
            part.path,
            [to_arm(part.parts, b, copy.deepcopy(before.get(b.get(part.key), {}))) for b in blocks],
        )
    elif not blocks:
        prune(body, part.path)
    else:
        target = dig(body, part.path)
        plant(body, part.path, to_arm(part.parts, blocks[0], target if isinstance(target, dict) else {}))


def _kept(read: Any, prior: Any) -> Any:
    """`read`, or `prior` where the SDK would see no difference between the two."""
    if read is None:
        return prior if prior is not UNKNOWN and is_zero(prior) else None
    if prior is None and read in ("", [], {}):
        return None
    return read


def from_arm(
    parts: Sequence[Part], body: Mapping[str, Any], prior: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The Terraform values of an ARM `body`.

    `prior` is the planned value or the state; None on import. What ARM does not hold (a field
    without a path) stays as it was.
    """
    values: dict[str, Any] = {}
    for part in parts:
        before = prior.get(part.name) if prior is not None else None
        if isinstance(part, Nested):
            values[part.name] = _block_from_arm(part, body, before, imported=prior is None)
        elif not part.path:
            values[part.name] = None if before is UNKNOWN else before
        else:
            found = dig(body, part.path)
            read = _kept(part.absent if found is None else part.read(found), before)
            same = part.equal is not None and before not in (None, UNKNOWN) and part.equal(before, read)
            values[part.name] = before if same else read
    return values


def _block_from_arm(part: Nested, body: Mapping[str, Any], before: Any, *, imported: bool) -> Any:
    wanted = isinstance(before, list) and bool(before)
    if not (wanted or part.computed or imported):
        return []  # nobody asked for this block, and the service's own value is no difference
    found = dig(body, part.path)
    priors = before if isinstance(before, list) else []
    if not part.many:
        if not isinstance(found, Mapping):
            return []
        return [from_arm(part.parts, found, priors[0] if priors else {})]
    items = found if isinstance(found, list) else []
    by_key = {p.get(part.key): p for p in priors} if part.key else {}
    result = []
    for index, item in enumerate(items):
        prior = by_key.get(item.get("name")) if part.key else dict(enumerate(priors)).get(index)
        result.append(from_arm(part.parts, item, prior or {}))
    return result
