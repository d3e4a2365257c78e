"""api-versions and request bodies, checked against ARM's own type definitions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from sandbox.arm.catalog import load_data
from sandbox.arm.errors import ArmError

__all__ = ["api_versions", "drop_nulls", "strip_read_only", "validate"]


def _types() -> dict[str, Any]:
    return load_data("arm_types.json")["types"]  # type: ignore[no-any-return]  # our own data file


@cache
def api_versions(resource_type: str) -> tuple[str, ...]:
    """Every version ARM has published for a type; empty for a type that is not in the data."""
    for name, entry in _types().items():
        if name.lower() == resource_type.lower():
            return tuple(entry["apiVersions"])
    return ()


@cache
def _schema(resource_type: str) -> dict[str, Any] | None:
    for name, entry in _types().items():
        if name.lower() == resource_type.lower():
            namespace = name.split("/", 1)[0]
            defs = {**load_data("arm_types.json")["defs"][namespace], **entry.get("$defs", {})}
            return {**entry["body"], "$defs": defs}
    return None


@cache
def _validator(resource_type: str) -> Draft202012Validator | None:
    schema = _schema(resource_type)
    return None if schema is None else Draft202012Validator(schema)


def drop_nulls(value: Any) -> Any:
    """Without null members: the Go clients send null where they mean absent, and Azure takes it so."""
    if isinstance(value, dict):
        return {key: drop_nulls(member) for key, member in value.items() if member is not None}
    if isinstance(value, list):
        return [drop_nulls(member) for member in value]
    return value


def validate(
    resource_type: str, body: Mapping[str, Any], name: str, code: str, *, check_name: bool = True
) -> None:
    """Refuse a body of wrong JSON types, missing properties or values outside a closed list.

    Args:
        check_name: whether the type's pattern for names counts; false where the type has its own error.

    Raises:
        ArmError: 400 with `code`, naming the property.
    """
    validator = _validator(resource_type)
    if validator is None:
        return
    candidate = {**strip_read_only(resource_type, body), "name": name}
    errors = [
        error
        for error in validator.iter_errors(candidate)
        if check_name or list(error.absolute_path) != ["name"]
    ]
    if not errors:
        return
    error = _deepest(best_match(errors) or errors[0])
    path = ".".join(str(part) for part in error.absolute_path) or "body"
    raise ArmError(400, code, f"The value of '{path}' is invalid: {_capped(error.message)}", target=path)


def _deepest(error: ValidationError) -> ValidationError:
    """Inside a union, the mismatch in the alternative that fits best says more than 'none fits'."""
    while error.context:
        error = max(error.context, key=lambda inner: len(inner.absolute_path))
    return error


def _capped(message: str) -> str:
    return message if len(message) <= 300 else message[:297] + "…"


def strip_read_only(resource_type: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Without the properties that only the service sets: clients send back what they read."""
    schema = _schema(resource_type)
    return dict(body) if schema is None else _strip(body, schema, schema["$defs"])


def _strip(value: Any, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _strip(value, defs[schema["$ref"].rsplit("/", 1)[-1]], defs)
    if isinstance(value, list):
        return [_strip(member, schema.get("items", {}), defs) for member in value]
    if not isinstance(value, Mapping):
        return value
    properties = dict(schema.get("properties", {}))
    if "oneOf" in schema and "discriminator" in schema:
        properties |= _alternative(value, schema, defs).get("properties", {})
    other = schema.get("additionalProperties", {})
    kept: dict[str, Any] = {}
    for key, member in value.items():
        rule = properties.get(key, other if isinstance(other, Mapping) else {})
        if not rule.get("readOnly"):
            kept[key] = _strip(member, rule, defs)
    return kept


def _alternative(
    value: Mapping[str, Any], schema: Mapping[str, Any], defs: Mapping[str, Any]
) -> Mapping[str, Any]:
    discriminator = schema["discriminator"]
    reference = discriminator.get("mapping", {}).get(value.get(discriminator["propertyName"]))
    found: Mapping[str, Any] = defs.get(reference.rsplit("/", 1)[-1], {}) if reference else {}
    return found
