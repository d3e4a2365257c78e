"""Kubernetes quantities as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

__all__ = ["parse_quantity", "same_quantities"]

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}


def parse_quantity(text: str | int) -> Decimal:
    """The value of a quantity: `500m` is 0.5, `1Gi` is 1073741824, `1k` and `1000` are the same.

    Raises:
        ValueError: the text is no quantity.
    """
    match = _QUANTITY.fullmatch(str(text))
    if match is None:
        raise ValueError(f"{str(text)[:40]!r} is not a Kubernetes quantity")
    number, exponent, suffix = match.groups()
    if exponent:
        return Decimal(number + exponent)
    if suffix in _BINARY:
        return Decimal(number) * Decimal(1024) ** _BINARY[suffix]
    return Decimal(number).scaleb(_DECIMAL[suffix or ""])


def same_quantities(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two lists of resources say the same, however their quantities are spelled."""
    return one.keys() == other.keys() and all(
        parse_quantity(one[key]) == parse_quantity(other[key]) for key in one
    )
