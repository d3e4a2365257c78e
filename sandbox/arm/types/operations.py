"""The URLs of long-running operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.polling import operation_result, operation_status
from sandbox.arm.routes import Route

if TYPE_CHECKING:
    from collections.abc import Sequence


class _AnyVersion(tuple[str, ...]):
    """Operation URLs carry whatever version the first call had, which was checked there."""

    __slots__ = ()

    def __contains__(self, version: object) -> bool:
        return isinstance(version, str) and bool(version)


_ANY: Sequence[str] = _AnyVersion()
_BASE = "/subscriptions/{subscription}/providers/{namespace}/locations/{location}"
ROUTES = [
    Route("GET", f"{_BASE}/operations/{{operation}}", operation_status, _ANY),
    Route("GET", f"{_BASE}/operationResults/{{operation}}", operation_result, _ANY),
    Route("GET", f"{_BASE}/asyncoperations/{{operation}}", operation_result, _ANY),
    Route("GET", "/subscriptions/{subscription}/operationresults/{operation}", operation_result, _ANY),
]
