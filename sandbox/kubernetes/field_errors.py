"""Errors about one field of an object, and the 422 they become together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.kubernetes.errors import ApiError
from sandbox.kubernetes.jsontypes import Json, Object, go_json

__all__ = [
    "FieldError",
    "duplicate",
    "forbidden_field",
    "invalid",
    "invalid_object",
    "not_supported",
    "required",
    "too_long",
    "too_many",
    "type_invalid",
]


@dataclass(frozen=True)
class FieldError:
    """One cause: the field's path, the reason for machines and the sentence for people."""

    field: str
    reason: str
    message: str

    @property
    def text(self) -> str:
        return f"{self.field}: {self.message}"


def invalid(field: str, value: Json, detail: str) -> FieldError:
    return FieldError(field, "FieldValueInvalid", f"Invalid value: {go_json(value)}: {detail}")


def type_invalid(field: str, value: Json, detail: str) -> FieldError:
    return FieldError(field, "FieldValueTypeInvalid", f"Invalid value: {go_json(value)}: {detail}")


def required(field: str, detail: str = "") -> FieldError:
    return FieldError(
        field, "FieldValueRequired", f"Required value: {detail}" if detail else "Required value"
    )


def duplicate(field: str, value: Json) -> FieldError:
    return FieldError(field, "FieldValueDuplicate", f"Duplicate value: {go_json(value)}")


def forbidden_field(field: str, detail: str) -> FieldError:
    return FieldError(field, "FieldValueForbidden", f"Forbidden: {detail}")


def not_supported(field: str, value: Json, supported: Sequence[str]) -> FieldError:
    listed = ", ".join(f'"{item}"' for item in supported)
    return FieldError(
        field, "FieldValueNotSupported", f"Unsupported value: {go_json(value)}: supported values: {listed}"
    )


def too_long(field: str, maximum: int) -> FieldError:
    return FieldError(field, "FieldValueTooLong", f"Too long: may not be more than {maximum} bytes")


def too_many(field: str, actual: int, maximum: int) -> FieldError:
    noun = "item" if maximum == 1 else "items"
    return FieldError(field, "FieldValueTooMany", f"Too many: {actual}: must have at most {maximum} {noun}")


def invalid_object(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> ApiError:
    """The 422 that lists all causes."""
    causes = [{"reason": e.reason, "message": e.message, "field": e.field} for e in errors]
    texts = list(dict.fromkeys(e.text for e in errors))
    joined = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    qualified = f"{kind}.{group}" if group else kind
    details: Object = {}
    if name:
        details["name"] = name
    if group:
        details["group"] = group
    details |= {"kind": kind, "causes": causes}
    return ApiError(422, "Invalid", f'{qualified} "{name}" is invalid: {joined}', details)
