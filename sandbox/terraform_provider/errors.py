"""What can go wrong in the provider, in the words that azurerm uses."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

__all__ = ["ArmError", "OperationFailed", "ProviderError", "Stopped", "arm_error"]

# Longer bodies say nothing more, and a diagnostic is read by people.
_LONGEST_MESSAGE = 2000


class ProviderError(Exception):
    """An error that becomes a diagnostic; its text is shown as it is."""


class Stopped(ProviderError):
    """Terraform asked the provider to stop while it was waiting."""

    def __init__(self) -> None:
        super().__init__("context canceled")


class ArmError(ProviderError):
    """ARM refused a request.

    `status` is the HTTP status, `code` ARM's error code ("" where the answer had none) and
    `retry_after` the seconds that the answer asks to wait (None: it does not say).
    """

    def __init__(self, status: int, code: str, message: str, retry_after: float | None = None) -> None:
        self.status = status
        self.code = code
        self.retry_after = retry_after
        try:
            reason = HTTPStatus(status).phrase
        except ValueError:
            reason = "unknown"
        text = f"unexpected status {status} ({status} {reason})"
        if code or message:
            text += f" with error: {code}: {message[:_LONGEST_MESSAGE]}"
        super().__init__(text)


class OperationFailed(ProviderError):
    """A long-running operation ended as failed or cancelled."""

    def __init__(self, status: str, answer: dict[str, Any]) -> None:
        error = answer.get("error") or {}
        code, message = error.get("code") or status, error.get("message") or ""
        shown = json.dumps(answer)[:_LONGEST_MESSAGE]
        super().__init__(
            "polling failed: the Azure API returned the following error:\n\n"
            f'Status: "{code}"\nCode: ""\nMessage: "{message}"\nActivity Id: ""\n\n---\n\n'
            f"API Response:\n\n----[start]----\n{shown}\n-----[end]-----\n"
        )


def arm_error(status: int, body: bytes, retry_after: float | None) -> ArmError:
    """The ArmError for an answer; throttling answers may lack the outer `error`."""
    try:
        answer = json.loads(body or b"{}")
    except ValueError:
        answer = {}
    if not isinstance(answer, dict):
        answer = {}
    error = answer.get("error", answer)
    if isinstance(error, str):  # Entra ID's form
        return ArmError(status, error, str(answer.get("error_description", "")), retry_after)
    code, message = error.get("code") or "", error.get("message") or ""
    return ArmError(status, str(code), str(message), retry_after)
