"""Errors in the form of Entra ID's token endpoint."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

__all__ = ["EntraError", "error_response"]


@dataclass(eq=False)
class EntraError(Exception):
    """`code` is the AADSTS number; `error` the OAuth 2.0 error."""

    status: int
    error: str
    code: int
    message: str


def error_response(error: EntraError) -> web.Response:
    """The JSON that MSAL and the Go clients parse, down to the layout of the description."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    trace, correlation = str(uuid.uuid4()), str(uuid.uuid4())
    body: dict[str, Any] = {
        "error": error.error,
        "error_description": (
            f"AADSTS{error.code}: {error.message} Trace ID: {trace} Correlation ID: {correlation}"
            f" Timestamp: {now}"
        ),
        "error_codes": [error.code],
        "timestamp": now,
        "trace_id": trace,
        "correlation_id": correlation,
        "error_uri": f"https://login.microsoftonline.com/error?code={error.code}",
    }
    return web.json_response(body, status=error.status)
