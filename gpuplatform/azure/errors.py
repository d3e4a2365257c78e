"""Azure's exceptions as ours: what is retryable, what was refused, what does not exist."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ServiceRequestError,
    ServiceResponseError,
)

from gpuplatform.errors import Conflict, NotFound, PlatformError, Refused, Retryable
from gpuplatform.scrubbing import cap

__all__ = ["azure_errors", "translate"]

_RETRYABLE_STATUS = frozenset({408, 429, 500, 502, 503, 504})


@contextmanager
def azure_errors(activity: str) -> Iterator[None]:
    """Turn any Azure SDK error raised inside into ours, its text beginning with the activity.

    `activity` says what was being done, such as "creating the state container".
    """
    try:
        yield
    except AzureError as error:
        raise translate(error, activity) from error


def translate(error: AzureError, activity: str) -> PlatformError:
    """Our error for an Azure one. 429 is throttling whatever its code says: a quota refusal is a 409."""
    text = f"{activity}: {_message(error)}"
    if isinstance(error, ClientAuthenticationError):
        return Refused(text)
    if isinstance(error, HttpResponseError):
        status = error.status_code or 0
        if status in _RETRYABLE_STATUS:
            return Retryable(text, retry_after=_retry_after(error))
        if status in {401, 403}:
            return Refused(text)
        if status == 404:
            return NotFound(text)
        if status in {409, 412}:
            return Conflict(text)
        return PlatformError(text)
    if isinstance(error, (ServiceRequestError, ServiceResponseError)):
        return Retryable(text)
    return PlatformError(text)


def _message(error: AzureError) -> str:
    code = getattr(getattr(error, "error", None), "code", None) or getattr(error, "error_code", None)
    first, *rest = (error.message or str(error)).strip().split("\n")
    if isinstance(error, ClientAuthenticationError):
        # The first line only says that signing in did not work; the others say what was tried and why not.
        return cap(" ".join([first, *(line.strip() for line in rest if "To mitigate" not in line)]), 1_200)
    first = first.removeprefix(f"({code}) ")
    return cap(f"{code}: {first}" if code else first, 800)


def _retry_after(error: HttpResponseError) -> timedelta | None:
    headers = getattr(error.response, "headers", None) or {}
    value = headers.get("Retry-After")
    return timedelta(seconds=int(value)) if value and value.isdigit() else None
