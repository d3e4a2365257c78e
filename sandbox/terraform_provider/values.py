"""Terraform values as Python objects, and the wire form of Terraform's plugin protocol."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Self

import msgpack  # type: ignore[import-untyped]  # has no types
from tf.gen import tfplugin_pb2 as pb  # type: ignore[import-untyped]  # not marked as typed

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["UNKNOWN", "Unknown", "contains_unknown", "decode", "encode", "is_zero", "known"]


class Unknown:
    """The value that is "known after apply"; there is one instance, UNKNOWN."""

    _instance: Self | None = None

    def __new__(cls) -> Self:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __deepcopy__(self, memo: dict[int, Any]) -> Unknown:
        return self


UNKNOWN: Final = Unknown()

# 0 is the plain unknown value; 12 is an unknown value with refinements, which are only hints.
_UNKNOWN_EXTENSIONS = (0, 12)


def _extension(code: int, data: bytes) -> Any:
    return UNKNOWN if code in _UNKNOWN_EXTENSIONS else msgpack.ExtType(code, data)


def _pack_unknown(value: Any) -> Any:
    if value is UNKNOWN:
        return msgpack.ExtType(0, b"\x00")
    raise TypeError(f"{type(value).__name__} is no Terraform value")


def decode(value: pb.DynamicValue) -> Any:
    """The Python value of a DynamicValue; None where there is none."""
    if value.json:
        return json.loads(value.json)
    if value.msgpack:
        return msgpack.unpackb(value.msgpack, ext_hook=_extension, raw=False, strict_map_key=False)
    return None


def encode(value: Any) -> pb.DynamicValue:
    """`value` as a DynamicValue."""
    return pb.DynamicValue(msgpack=msgpack.packb(value, default=_pack_unknown, use_bin_type=True))


def contains_unknown(value: Any) -> bool:
    """Whether `value` or anything in it is unknown."""
    if value is UNKNOWN:
        return True
    items: Iterable[Any] = ()
    if isinstance(value, dict):
        items = value.values()
    elif isinstance(value, list | tuple):
        items = value
    return any(contains_unknown(item) for item in items)


def known(value: Any) -> Any:
    """`value`, or None where it is unknown."""
    return None if value is UNKNOWN else value


def is_zero(value: Any) -> bool:
    """Whether `value` is null or the zero value of its type.

    The provider's SDK cannot tell the two apart, so neither is a difference to it.
    """
    return value is None or value is False or value in (0, "", [], {})
