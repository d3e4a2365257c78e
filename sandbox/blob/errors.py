"""Errors in the form of Azure Storage: XML, with the code in a header as well."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from xml.sax.saxutils import escape

from aiohttp import web

__all__ = ["StorageError", "error_response"]


@dataclass(eq=False)
class StorageError(Exception):
    status: int
    code: str
    message: str
    headers: dict[str, str] = field(default_factory=dict)


def error_response(error: StorageError, request: web.Request) -> web.Response:
    """The answer; a HEAD gets no body, only the header `x-ms-error-code`."""
    request_id = str(uuid.uuid4())
    time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f0Z")
    body = (
        '\ufeff<?xml version="1.0" encoding="utf-8"?>'
        f"<Error><Code>{error.code}</Code><Message>{escape(error.message)}\n"
        f"RequestId:{request_id}\nTime:{time}</Message></Error>"
    )
    headers = {
        "x-ms-error-code": error.code,
        "x-ms-request-id": request_id,
        "x-ms-version": request.headers.get("x-ms-version", "2025-11-05"),
        "Server": "Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0",
        **error.headers,
    }
    client_id = request.headers.get("x-ms-client-request-id")
    if client_id:
        headers["x-ms-client-request-id"] = client_id
    return web.Response(
        body=None if request.method == "HEAD" else body.encode(),
        status=error.status,
        headers={**headers, "Content-Type": "application/xml"},
    )
