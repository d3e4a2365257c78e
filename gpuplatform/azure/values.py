"""Values from Azure's models as plain texts."""

from __future__ import annotations

from enum import Enum

__all__ = ["plain"]


def plain(value: object) -> str:
    """The value as Azure spelt it; None is empty.

    The models turn a value they know into an enum, whose `str()` is `SomeType.NAME`, and leave one that
    is newer than they are a string.
    """
    if value is None:
        return ""
    return str(value.value if isinstance(value, Enum) else value)
