"""ARM's error envelope and the errors that more than one place raises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "ArmError",
    "authorization_failed",
    "group_not_found",
    "invalid_content",
    "location_required",
    "not_emulated",
    "operation_in_progress",
    "resource_not_found",
]


class ArmError(Exception):
    """An answer that is not a success: HTTP status, ARM code and message."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        target: str | None = None,
        details: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.target = target
        self.details = tuple(details)
        self.headers = dict(headers or {})

    def error(self) -> dict[str, Any]:
        """The object inside the envelope, as asynchronous operations carry it too."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.target is not None:
            error["target"] = self.target
        if self.details:
            error["details"] = [dict(detail) for detail in self.details]
        return error

    def body(self) -> dict[str, Any]:
        return {"error": self.error()}


def resource_not_found(type_and_name: str, group: str | None) -> ArmError:
    where = f" under resource group '{group}'" if group else ""
    return ArmError(
        404,
        "ResourceNotFound",
        f"The Resource '{type_and_name}'{where} was not found. For more details please go to "
        "https://aka.ms/ARMResourceNotFoundFix",
    )


def group_not_found(name: str) -> ArmError:
    return ArmError(404, "ResourceGroupNotFound", f"Resource group '{name}' could not be found.")


def invalid_content(message: str, target: str | None = None) -> ArmError:
    return ArmError(400, "InvalidRequestContent", message, target=target)


def location_required() -> ArmError:
    return ArmError(400, "LocationRequired", "The location property is required for this definition.")


def not_emulated(method: str, what: str) -> ArmError:
    """A call this sandbox does not know; never answered with a silent success."""
    return ArmError(
        405,
        "MethodNotAllowed",
        f"The sandbox does not emulate '{method} {what}'. sandbox/arm/COVERAGE.md lists what it does.",
    )


def authorization_failed(client_id: str, object_id: str, action: str, scope: str) -> ArmError:
    return ArmError(
        403,
        "AuthorizationFailed",
        f"The client '{client_id}' with object id '{object_id}' does not have authorization to perform "
        f"action '{action}' over scope '{scope}' or the scope is invalid. If access was recently granted, "
        "please refresh your credentials.",
    )


def operation_in_progress(what: str) -> ArmError:
    return ArmError(
        409,
        "OperationNotAllowed",
        f"Operation is not allowed: Another operation is in progress on {what}. "
        "Please wait for it to finish, then try again.",
    )
