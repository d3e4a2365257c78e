"""Validation of custom resources against their schema, with the API server's texts."""

from __future__ import annotations

import re

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.field_errors import FieldError, invalid, not_supported, required, type_invalid
from sandbox.kubernetes.jsontypes import Json, Object, go_json
from sandbox.kubernetes.kinds import rules_of
from sandbox.kubernetes.resources import Resource
from sandbox.kubernetes.schema import Node

__all__ = ["custom_errors"]

_TYPES = {"s": "string", "y": "string", "i": "integer", "l": "integer", "n": "number", "b": "boolean"}
_NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
_QUANTITY = rf"^(\+|-)?{_NUMBER}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_NUMBER}))?$"


_BLOCKING = (
    "FieldValueTypeInvalid",
    "FieldValueRequired",
    "FieldValueNotSupported",
    "FieldValueTooLong",
    "FieldValueTooMany",
)


def custom_errors(
    cluster: Cluster, resource: Resource, new: Object, old: Object | None, *, status: bool = False
) -> list[FieldError]:
    """Schema errors first; the kind's own rules run only on an object whose schema is fine."""
    out: list[FieldError] = []
    value = {"status": new["status"]} if status and "status" in new else {} if status else new
    _check(resource.node, value, "", out)
    del cluster, old
    if out:
        if resource.group == "kueue.x-k8s.io" and any(error.reason in _BLOCKING for error in out):
            out.append(
                FieldError(
                    "<nil>",
                    "FieldValueInvalid",
                    "Invalid value: null: some validation rules were not checked because the object was"
                    " invalid; correct the existing errors to complete validation",
                )
            )
        return out
    return [] if status else rules_of(resource).validate(new)


def _type_name(value: Json) -> str:
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", int: "integer", float: "number", list: "array", dict: "object"}.get(
        type(value), "null"
    )


def _check(node: Node, value: Json, path: str, out: list[FieldError]) -> None:
    if node.shape == "any":
        return
    if node.shape == "scalar":
        out += _scalar_errors(node, value, path)
        return
    wanted = "array" if node.shape == "list" else "object"
    actual = _type_name(value)
    if actual != wanted:
        out.append(_wrong_type(path, wanted, actual))
    elif node.shape == "list":
        for number, item in enumerate(value):
            if node.element:
                _check(node.element, item, f"{path}[{number}]", out)
    elif node.shape == "map":
        for key, item in value.items():
            if node.element:
                _check(node.element, item, f"{path}.{key}", out)
    else:
        _check_struct(node, value, path, out)


def _scalar_errors(node: Node, value: Json, path: str) -> list[FieldError]:
    if node.scalar in ("Q", "q"):
        return _quantity_errors(value, path)
    wanted, actual = _TYPES.get(node.scalar), _type_name(value)
    if wanted == "integer" and actual == "number":
        return _not_whole(path, node.scalar)
    if node.scalar == "i" and actual == "integer" and not -(2**31) <= value < 2**31:
        text = f'Invalid value: "": Checked value must be of type integer with format int32 in {path}'
        return [FieldError("<nil>", "FieldValueInvalid", text)]
    if wanted and actual != wanted and not (wanted == "number" and actual == "integer"):
        return [_wrong_type(path, wanted, actual)]
    return []


def _quantity_errors(value: Json, path: str) -> list[FieldError]:
    if isinstance(value, str):
        return (
            []
            if re.search(_QUANTITY, value)
            else [invalid(path, value, f"{path} in body should match '{_QUANTITY}'")]
        )
    if isinstance(value, int) and not isinstance(value, bool):
        return []
    actual = _type_name(value)
    return [type_invalid(path, actual, f'{path} in body must be of type integer,string: "{actual}"')]


def _not_whole(path: str, scalar: str) -> list[FieldError]:
    size = "int32" if scalar == "i" else "int64"
    return [
        type_invalid(path, "float64", f'{path} in body must be of type {size}: "float64"'),
        FieldError(
            "<nil>",
            "FieldValueInvalid",
            f'Invalid value: "": Checked value must be of type integer with format {size} in {path}',
        ),
    ]


def _wrong_type(path: str, wanted: str, actual: str) -> FieldError:
    return type_invalid(path, actual, f"{path} in body must be of type {wanted}: {go_json(actual)}")


def _check_struct(node: Node, value: Object, path: str, out: list[FieldError]) -> None:
    for key in sorted(node.required):
        if value.get(key) is None and node.custom | (key in ("name", "containers")):
            here = f"{path}.{key}" if path else key
            out.append(required(here))
    for key, item in value.items():
        child = node.fields.get(key)
        if child is None or (not path and key in ("apiVersion", "kind", "metadata")):
            continue
        here = f"{path}.{key}" if path else key
        before = len(out)
        _check(child, item, here, out)
        if len(out) == before and key in node.limits:
            out += _limit_errors(item, here, node.limits[key])


def _limit_errors(value: Json, path: str, limits: Object) -> list[FieldError]:
    out: list[FieldError] = []
    if "enum" in limits and value not in limits["enum"]:
        out.append(not_supported(path, value, limits["enum"]))
    if "minimum" in limits and value < limits["minimum"]:
        out.append(
            invalid(path, value, f"{path} in body should be greater than or equal to {limits['minimum']}")
        )
    if "maximum" in limits and value > limits["maximum"]:
        out.append(
            invalid(path, value, f"{path} in body should be less than or equal to {limits['maximum']}")
        )
    if "maxLength" in limits and len(value) > limits["maxLength"]:
        out.append(
            FieldError(
                path, "FieldValueTooLong", f"Too long: may not be more than {limits['maxLength']} bytes"
            )
        )
    if "pattern" in limits and not re.search(limits["pattern"], value):
        out.append(invalid(path, value, f"{path} in body should match '{limits['pattern']}'"))
    if "minItems" in limits and len(value) < limits["minItems"]:
        out.append(
            invalid(path, len(value), f"{path} in body should have at least {limits['minItems']} items")
        )
    if "maxItems" in limits and len(value) > limits["maxItems"]:
        out.append(
            FieldError(
                path,
                "FieldValueTooMany",
                f"Too many: {len(value)}: must have at most {limits['maxItems']} items",
            )
        )
    if "maxProperties" in limits and len(value) > limits["maxProperties"]:
        out.append(
            FieldError(
                path,
                "FieldValueTooMany",
                f"Too many: {len(value)}: must have at most {limits['maxProperties']} items",
            )
        )
    return out
