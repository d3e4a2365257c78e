"""Validation of metadata and of label selectors, shared by all kinds."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox.kubernetes.field_errors import FieldError, forbidden_field, invalid, required, too_long
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.names import label_key_errors, label_value_errors, qualified_name_errors

__all__ = ["SET_OPERATORS", "label_errors", "metadata_errors", "selector_errors", "set_operator_errors"]

_ANNOTATION_LIMIT = 256 * 1024


def label_errors(labels: Object | None, path: str) -> list[FieldError]:
    out = []
    for key, value in (labels or {}).items():
        out += [invalid(path, key, text) for text in label_key_errors(key)]
        out += [invalid(path, value, text) for text in label_value_errors(value)]
    return out


SET_OPERATORS = frozenset({"In", "NotIn", "Exists", "DoesNotExist"})
"""The operators that label selectors and node selectors share."""


def set_operator_errors(operator: str, values: Sequence[object] | None, path: str) -> list[FieldError]:
    """What is wrong with the values of an expression whose operator is one of `SET_OPERATORS`."""
    if operator in ("In", "NotIn") and not values:
        return [required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")]
    if operator in ("Exists", "DoesNotExist") and values:
        text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        return [forbidden_field(f"{path}.values", text)]
    return []


def selector_errors(selector: Object | None, path: str) -> list[FieldError]:
    if selector is None:
        return []
    out = label_errors(selector.get("matchLabels"), f"{path}.matchLabels")
    for number, item in enumerate(selector.get("matchExpressions") or ()):
        here = f"{path}.matchExpressions[{number}]"
        operator, values = item.get("operator", ""), item.get("values")
        if operator in SET_OPERATORS:
            out += set_operator_errors(operator, values, here)
        else:
            out.append(invalid(f"{here}.operator", operator, "not a valid selector operator"))
        out += [
            invalid(f"{here}.key", item.get("key", ""), text)
            for text in label_key_errors(item.get("key", ""))
        ]
        for index, value in enumerate(values or ()):
            out += [invalid(f"{here}.values[{index}]", value, text) for text in label_value_errors(value)]
    return out


def metadata_errors(metadata: Object, path: str = "metadata") -> list[FieldError]:
    """Labels, annotations, finalizers and owner references; names are the kind's business."""
    out = label_errors(metadata.get("labels"), f"{path}.labels")
    annotations = metadata.get("annotations") or {}
    for key in annotations:
        out += [invalid(f"{path}.annotations", key, text) for text in qualified_name_errors(key.lower())]
    if sum(len(key) + len(value) for key, value in annotations.items()) > _ANNOTATION_LIMIT:
        out.append(too_long(f"{path}.annotations", _ANNOTATION_LIMIT))
    for number, finalizer in enumerate(metadata.get("finalizers") or ()):
        out += [invalid(f"{path}.finalizers", finalizer, text) for text in qualified_name_errors(finalizer)]
        if (
            "/" not in finalizer
            and finalizer not in ("orphan", "foregroundDeletion", "kubernetes")
            and not qualified_name_errors(finalizer)
        ):
            out.append(
                invalid(
                    f"{path}.finalizers[{number}]",
                    finalizer,
                    "name is neither a standard finalizer name nor is it fully qualified",
                )
            )
    out += _owner_errors(metadata, path)
    return out


def _owner_errors(metadata: Object, path: str) -> list[FieldError]:
    out = []
    controllers = []
    here = f"{path}.ownerReferences"
    for owner in metadata.get("ownerReferences") or ():
        for key, text in (
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ):
            if not owner.get(key):
                out.append(invalid(f"{here}.{key}", owner.get(key, ""), text))
        if owner.get("controller"):
            controllers.append(owner)
    if len(controllers) > 1:
        first, second = controllers[:2]
        out.append(
            invalid(
                f"{path}.ownerReferences",
                metadata["ownerReferences"],
                'Only one reference can have Controller set to true. Found "true" in references for'
                f" {first['kind']}/{first['name']} and {second['kind']}/{second['name']}",
            )
        )
    return out
