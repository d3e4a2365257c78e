"""The errors of the platform: one small tree in which retryable is a type that carries its delay."""

from __future__ import annotations

from datetime import timedelta

__all__ = [
    "Conflict",
    "DeadlineExceeded",
    "InvalidInput",
    "NotFound",
    "PlatformError",
    "Refused",
    "Retryable",
]


class PlatformError(Exception):
    """Anything the platform gives up on; the text is one sentence a person can act on."""


class InvalidInput(PlatformError):
    """What a person typed or a file says is wrong: the text names what, where, and what would be right."""


class Refused(PlatformError):
    """A rule, a policy or the cloud's authorization said no; trying again does not help."""


class NotFound(PlatformError):
    """A thing that had to exist does not."""


class Conflict(PlatformError):
    """Somebody else holds or changed the thing."""


class DeadlineExceeded(PlatformError):
    """A wait reached its deadline; the text says what was waited for and how long."""


class Retryable(PlatformError):
    """A passing fault: throttling, a lost connection, a service that answers 5xx.

    `retry_after` is what the service asked for, or None when it named no delay.
    """

    def __init__(self, message: str, *, retry_after: timedelta | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
