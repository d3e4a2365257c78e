"""Durations as Go writes them, such as `90m` or `1h30m`."""

from __future__ import annotations

import re

from sandbox.terraform_provider.errors import ProviderError

__all__ = ["seconds"]

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")


def seconds(text: str) -> float:
    """`text` in seconds. Raises ProviderError when it is no duration."""
    if not re.fullmatch(f"(?:{_PART.pattern})+", text):
        raise ProviderError(f'time: invalid duration "{text}"')
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
