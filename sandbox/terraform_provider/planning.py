"""What a plan says: the planned value and what a change replaces. Pure functions.

The rules are those of the provider SDK that azurerm uses, which is why the answers carry Terraform's
mark for the legacy type system: a default appears in the plan although nobody wrote it, and null
equals the zero value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sandbox.terraform_provider import mapping
from sandbox.terraform_provider.values import UNKNOWN, contains_unknown, is_zero

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandbox.terraform_provider.schema import Attribute, Block, Nested

__all__ = ["Plan", "changed_fields", "plan", "unsupported"]

Path = tuple[str | int, ...]

# What every resource has and no mapping lists.
_EVERYWHERE = ("id", "timeouts")


@dataclass(frozen=True)
class Plan:
    """A planned value and the paths of the attributes whose change needs a new resource."""

    value: dict[str, Any]
    replace: list[Path]


@dataclass(frozen=True)
class _Trail:
    """Where the walk is, and what it found on the way that forces a replacement."""

    at: Path = ()
    replace: list[Path] = field(default_factory=list)

    def below(self, *steps: str | int) -> _Trail:
        return _Trail((*self.at, *steps), self.replace)

    def found(self, *steps: str | int) -> None:
        self.replace.append((*self.at, *steps))


def plan(
    parts: Iterable[mapping.Part], block: Block, config: dict[str, Any], prior: dict[str, Any] | None
) -> Plan:
    """Plan a creation (`prior` None) or an update of one resource."""
    trail = _Trail()
    return Plan(_plan_block(parts, block, config, prior, trail), trail.replace)


def _plan_block(
    parts: Iterable[mapping.Part],
    block: Block,
    config: dict[str, Any],
    prior: dict[str, Any] | None,
    trail: _Trail,
) -> dict[str, Any]:
    known_parts = {part.name: part for part in parts}
    planned: dict[str, Any] = {}
    for name, attribute in block.attributes.items():
        part = known_parts.get(name)
        fld = part if isinstance(part, mapping.Field) else None
        value = _plan_attribute(attribute, fld, config.get(name), prior)
        if fld is not None and fld.force_new and prior is not None and _differs(value, prior.get(name)):
            trail.found(name)
        planned[name] = value
    for name, nested in block.blocks.items():
        part = known_parts.get(name)
        planned[name] = _plan_blocks(
            part if isinstance(part, mapping.Nested) else None,
            nested,
            config.get(name),
            prior,
            trail.below(name),
        )
    return planned


def _plan_attribute(
    attribute: Attribute, fld: mapping.Field | None, configured: Any, prior: dict[str, Any] | None
) -> Any:
    before = None if prior is None else prior.get(attribute.name)
    if configured is not None:
        if contains_unknown(configured) or fld is None:
            return configured
        value = fld.normalise(configured)
        same = fld.equal is not None and before is not None and fld.equal(before, value)
        return before if same else value
    if fld is not None and fld.default is not None:
        return fld.default
    if attribute.computed:
        return UNKNOWN if prior is None else before
    # A zero value left by a read is no difference from nothing configured.
    return before if prior is not None and is_zero(before) else None


def _plan_blocks(
    part: mapping.Nested | None,
    nested: Nested,
    configured: Any,
    prior: dict[str, Any] | None,
    trail: _Trail,
) -> Any:
    if nested.mode == "single" or configured is UNKNOWN or part is None:
        return configured
    before = (prior or {}).get(nested.name) or []
    if not configured and part.computed:
        return UNKNOWN if prior is None else before
    if part.force_new and prior is not None and len(configured) != len(before):
        trail.found()
    planned = []
    for index, item in enumerate(configured):
        earlier = _counterpart(nested, index, item, before)
        # The elements of a set have no path of their own: there the whole set is to blame.
        inner = trail.below(index) if nested.mode == "list" else _Trail()
        planned.append(_plan_block(part.parts, nested.block, item, earlier, inner))
        if nested.mode == "set" and (inner.replace or (earlier is None and part.force_new and prior)):
            trail.found()
    return planned


def _counterpart(nested: Nested, index: int, item: dict[str, Any], before: list[Any]) -> Any:
    """The earlier block that `item` is compared with: by place in a list, by value in a set."""
    if nested.mode == "list":
        return before[index] if index < len(before) else None
    return next((b for b in before if all(b.get(k) == v for k, v in item.items() if v is not None)), None)


def _differs(planned: Any, before: Any) -> bool:
    if planned is UNKNOWN:
        return True
    if is_zero(planned) and is_zero(before):
        return False
    return bool(planned != before)


def changed_fields(
    parts: Iterable[mapping.Part], planned: dict[str, Any], prior: dict[str, Any]
) -> list[mapping.Part]:
    """The parts whose value differs between the state and the plan."""
    return [part for part in parts if _differs(planned.get(part.name), prior.get(part.name))]


def unsupported(
    parts: Iterable[mapping.Part], block: Block, config: dict[str, Any], at: Path = ()
) -> list[Path]:
    """Paths that `config` sets and no part maps: the stand-in would silently ignore them."""
    known_parts = {part.name: part for part in parts}
    paths: list[Path] = []
    paths.extend(
        (*at, name)
        for name in block.attributes
        if name not in known_parts and name not in _EVERYWHERE and config.get(name) is not None
    )
    for name, nested in block.blocks.items():
        blocks = config.get(name)
        if name in _EVERYWHERE or not blocks:
            continue
        part = known_parts.get(name)
        if not isinstance(part, mapping.Nested):
            paths.append((*at, name))
            continue
        for index, item in enumerate(blocks if isinstance(blocks, list) else []):
            paths.extend(unsupported(part.parts, nested.block, item, (*at, name, index)))
    return paths
