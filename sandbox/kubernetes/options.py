"""Query options of writes: dryRun, fieldManager, fieldValidation, force."""

from __future__ import annotations

from sandbox.kubernetes.bodies import media_type
from sandbox.kubernetes.field_errors import (
    FieldError,
    forbidden_field,
    invalid,
    invalid_object,
    not_supported,
    required,
    too_long,
)
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource

__all__ = ["check_options"]

_KINDS = {"POST": "CreateOptions", "PUT": "UpdateOptions", "PATCH": "PatchOptions"}


def check_options(call: Call, resource: Resource) -> None:
    """Raises ApiError (422)."""
    kind = _KINDS.get(call.method)
    if kind is None or (call.method == "POST" and call.target.name):
        return
    errors: list[FieldError] = []
    is_apply = call.method == "PATCH" and media_type(call) == "application/apply-patch+yaml"
    manager = call.query.get("fieldManager", "")
    if call.method == "PATCH":
        if is_apply and not manager:
            errors.append(required("fieldManager", "is required for apply patch"))
        elif not is_apply and "force" in call.query:
            errors.append(forbidden_field("force", "may not be specified for non-apply patch"))
    if len(manager) > 128:
        errors.append(too_long("fieldManager", 128))
    if any(not char.isprintable() for char in manager):
        errors.append(invalid("fieldManager", manager, "should only contain printable characters"))
    dry = call.query.get("dryRun")
    if dry is not None and dry not in {"All", ""}:
        errors.append(not_supported("dryRun", [dry], ["All"]))
    validation = call.query.get("fieldValidation", "")
    if validation not in ("", "Ignore", "Warn", "Strict"):
        errors.append(not_supported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]))
    del resource
    if errors:
        raise invalid_object("meta.k8s.io", kind, "", errors)
