"""The Kubernetes client's exceptions as ours, with the API server's own message as one sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from gpuplatform.errors import Conflict, NotFound, PlatformError, Refused, Retryable
from gpuplatform.scrubbing import cap

if TYPE_CHECKING:
    from kubernetes.client.exceptions import ApiException
    from urllib3.exceptions import HTTPError

__all__ = ["kubernetes_errors", "translate"]

MAX_MESSAGE = 1_000
"""Characters kept of the API server's message; an apply conflict lists every field."""


@contextmanager
def kubernetes_errors(activity: str) -> Iterator[None]:
    """Turn any error of the Kubernetes client raised inside into ours, its text beginning with the activity.

    `activity` says what was being done, such as "applying ResourceQuota team-a/quota".
    """
    # Not at the top: a flow that is only loaded should not wait for the SDK.
    from kubernetes.client.exceptions import ApiException  # noqa: PLC0415 - see above
    from kubernetes.dynamic.exceptions import (  # noqa: PLC0415 - see above
        ResourceNotFoundError,
        ResourceNotUniqueError,
    )
    from urllib3.exceptions import HTTPError  # noqa: PLC0415 - see above

    try:
        yield
    except (ApiException, HTTPError, ResourceNotFoundError, ResourceNotUniqueError) as error:
        raise translate(error, activity) from error


def translate(error: Exception, activity: str) -> PlatformError:
    """Our error for one of the client's. 429 and 5xx are retryable: a webhook that is down answers 500."""
    from kubernetes.client.exceptions import ApiException  # noqa: PLC0415 - see kubernetes_errors
    from kubernetes.dynamic.exceptions import (  # noqa: PLC0415 - see kubernetes_errors
        ResourceNotFoundError,
        ResourceNotUniqueError,
    )
    from urllib3.exceptions import HTTPError  # noqa: PLC0415 - see kubernetes_errors

    if isinstance(error, ResourceNotFoundError | ResourceNotUniqueError):
        return NotFound(f"{activity}: the cluster does not serve this kind: {cap(str(error), 300)}")
    if isinstance(error, HTTPError):
        if "certificate verify failed" in str(error):  # not a fault that passes
            return PlatformError(f"{activity}: the cluster is not trusted: {cap(_cause(error), 300)}")
        return Retryable(f"{activity}: the cluster did not answer: {cap(_cause(error), 300)}")
    if not isinstance(error, ApiException):
        return PlatformError(f"{activity}: {cap(str(error), MAX_MESSAGE)}")
    status = int(error.status or 0)
    text = f"{activity}: {_message(error)}"
    if status in {408, 429} or status >= 500:
        return Retryable(text, retry_after=_retry_after(error.headers))
    if status in {401, 403}:
        return Refused(text)
    if status == 404:
        return NotFound(text)
    if status == 409:
        return Conflict(text)
    return PlatformError(text)


def _message(error: ApiException) -> str:
    message: Any = None
    body = error.body
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    if body:
        try:
            document = json.loads(body)
        except ValueError:
            message = body
        else:
            message = document.get("message") if isinstance(document, dict) else None
    text = " ".join(str(message or error.reason or "no reason given").split())
    if not error.status:
        return cap(text, MAX_MESSAGE)
    return cap(f"{text} (HTTP {error.status})", MAX_MESSAGE)


def _cause(error: HTTPError) -> str:
    reason = getattr(error, "reason", None) or error
    return " ".join(str(reason).split())


def _retry_after(headers: Any) -> timedelta | None:
    value = (headers or {}).get("Retry-After")
    return timedelta(seconds=int(value)) if value and str(value).isdigit() else None
