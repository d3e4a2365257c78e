"""Errors as the API server answers them: a Status object with the exact text clients match on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandbox.kubernetes.jsontypes import Object

__all__ = [
    "ApiError",
    "PlainError",
    "already_exists",
    "bad_request",
    "conflict",
    "forbidden",
    "method_not_allowed",
    "not_found",
    "path_not_found",
    "unauthorized",
]


class ApiError(Exception):
    """An answer other than 2xx, with its Status."""

    def __init__(self, code: int, reason: str, message: str, details: Object | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details

    def status(self) -> Object:
        out: Object = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            out["reason"] = self.reason
        if self.details is not None:
            out["details"] = self.details
        out["code"] = self.code
        return out


class PlainError(Exception):
    """An answer in plain text, as the part of the server that knows no kinds gives it."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


@dataclass(frozen=True)
class Named:
    """What an error is about: `configmaps` or `localqueues.kueue.x-k8s.io`, and the object's name."""

    group: str
    resource: str
    name: str = ""

    @property
    def qualified(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource

    def details(self, **more: Any) -> Object:
        out: Object = {}
        if self.name:
            out["name"] = self.name
        if self.group:
            out["group"] = self.group
        return {**out, "kind": self.resource, **more}


def not_found(group: str, resource: str, name: str) -> ApiError:
    what = Named(group, resource, name)
    return ApiError(404, "NotFound", f'{what.qualified} "{name}" not found', what.details())


def already_exists(group: str, resource: str, name: str) -> ApiError:
    what = Named(group, resource, name)
    return ApiError(409, "AlreadyExists", f'{what.qualified} "{name}" already exists', what.details())


def conflict(group: str, resource: str, name: str, text: str) -> ApiError:
    what = Named(group, resource, name)
    message = f'Operation cannot be fulfilled on {what.qualified} "{name}": {text}'
    return ApiError(409, "Conflict", message, what.details())


def forbidden(group: str, resource: str, name: str, text: str) -> ApiError:
    what = Named(group, resource, name)
    subject = f'{what.qualified} "{name}"' if name else what.qualified
    return ApiError(403, "Forbidden", f"{subject} is forbidden: {text}", what.details())


def bad_request(message: str) -> ApiError:
    return ApiError(400, "BadRequest", message)


def path_not_found() -> ApiError:
    return ApiError(404, "NotFound", "the server could not find the requested resource", {})


def method_not_allowed() -> ApiError:
    return ApiError(
        405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {}
    )


def unauthorized() -> ApiError:
    return ApiError(401, "Unauthorized", "Unauthorized")
