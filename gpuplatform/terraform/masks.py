"""Sensitive and unknown values are replaced by a word before anything is kept or shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["SENSITIVE", "UNKNOWN", "redact", "with_unknown"]

SENSITIVE = "(sensitive)"
UNKNOWN = "(known after apply)"


def redact(value: Any, mask: Any) -> Any:
    """The value with what the mask marks replaced.

    A mask is Terraform's: True for the whole value, or the value's shape with True at the leaves.
    What the mask has and the value has not is ignored.
    """
    if mask is True:
        return SENSITIVE
    if isinstance(value, Mapping) and isinstance(mask, Mapping):
        return {key: redact(item, mask.get(key)) for key, item in value.items()}
    if isinstance(value, list) and isinstance(mask, list):
        return [redact(item, mask[index] if index < len(mask) else None) for index, item in enumerate(value)]
    return value


def with_unknown(value: Any, unknown: Any) -> Any:
    """The value with a word where it is known only after the apply, also where it has no such key."""
    if unknown is True:
        return UNKNOWN
    if isinstance(unknown, Mapping) and (value is None or isinstance(value, Mapping)):
        merged = dict(value or {})
        for key, item in unknown.items():
            filled = with_unknown(merged.get(key), item)
            if key in merged or filled not in (None, {}, []):
                merged[key] = filled
        return merged or value
    if isinstance(unknown, list) and (value is None or isinstance(value, list)):
        items = list(value or [])
        for index, item in enumerate(unknown):
            if index < len(items):
                items[index] = with_unknown(items[index], item)
            elif (filled := with_unknown(None, item)) not in (None, {}, []):
                items.append(filled)
        return items if items or value is not None else value
    return value
