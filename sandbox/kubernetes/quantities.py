"""Resource quantities: parsing, the canonical text the server answers with, arithmetic.

The rules are those of apimachinery's `resource.Quantity`: no fraction, the largest suffix that loses
nothing, binary suffixes kept binary.
"""

from __future__ import annotations

import re
from decimal import ROUND_UP, Decimal, localcontext
from functools import lru_cache

__all__ = ["QuantityError", "add", "canonical", "format_quantity", "parse", "subtract"]

PATTERN = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"
_SYNTAX = re.compile(r"^([+-]?(?:\d+\.?\d*|\.\d+))(|n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][-+]?\d+)$")
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BY_POWER = {power: suffix for suffix, power in _DECIMAL.items()}
_BY_1024 = {power: suffix for suffix, power in _BINARY.items()}


class QuantityError(ValueError):
    """The text is no quantity."""

    def __init__(self) -> None:
        super().__init__(f"quantities must match the regular expression '{PATTERN}'")


def _split(text: str) -> tuple[Decimal, str]:
    match = _SYNTAX.match(text)
    if match is None:
        raise QuantityError
    number, suffix = Decimal(match[1]), match[2]
    with localcontext() as context:
        context.prec = 60
        if suffix in _BINARY:
            return number * Decimal(1024) ** _BINARY[suffix], "binary"
        if suffix in _DECIMAL:
            return number * Decimal(10) ** _DECIMAL[suffix], "decimal"
        return number * Decimal(10) ** int(suffix[1:]), "exponent"


@lru_cache(maxsize=4096)
def parse(text: str) -> Decimal:
    """The value as a number. Raises QuantityError."""
    return _split(text)[0]


def _binary(value: Decimal) -> str | None:
    if value != value.to_integral_value() or abs(value) < 1024:
        return None
    whole, power = int(value), 0
    while whole % 1024 == 0 and power < 6:
        whole //= 1024
        power += 1
    return f"{whole}{_BY_1024[power]}" if power else str(whole)


def format_quantity(value: Decimal, form: str = "decimal") -> str:
    """The canonical text of a value; `form` is decimal, binary or exponent."""
    with localcontext() as context:
        context.prec = 60
        value = value.quantize(Decimal("1e-9"), rounding=ROUND_UP)
        if value == 0:
            return "0"
        if form == "binary" and (text := _binary(value)) is not None:
            return text
        digits, power = int(value.scaleb(9)), -9
        while digits % 1000 == 0 and power < 18:
            digits //= 1000
            power += 3
        if form == "exponent":
            return f"{digits}e{power}" if power else str(digits)
        return f"{digits}{_BY_POWER[power]}"


@lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """The same quantity as the server writes it. Raises QuantityError."""
    value, form = _split(text)
    return format_quantity(value, form)


def _form(text: str) -> str:
    return _split(text)[1]


def add(left: str, right: str) -> str:
    """The sum; the form is the first operand's, as in Quantity.Add (a zero takes the other's)."""
    form = _form(right) if parse(left) == 0 else _form(left)
    return format_quantity(parse(left) + parse(right), form)


def subtract(left: str, right: str) -> str:
    form = _form(right) if parse(left) == 0 else _form(left)
    return format_quantity(parse(left) - parse(right), form)
