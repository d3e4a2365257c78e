"""The priority classes of the platform, and what to do about those that the cluster has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuplatform.tenants.names import FIELD_MANAGER, MANAGED_BY
from gpuplatform.tenants.request import PriorityName

__all__ = ["priority_classes", "priority_difference"]

_CLASSES = (
    (PriorityName.PRODUCTION_INFERENCE, 1_000_000, "PreemptLowerPriority",
     "Inference in production: never preempted by training."),
    (PriorityName.SCHEDULED_TRAINING, 100_000, "PreemptLowerPriority", "Training with a deadline."),
    # Never: otherwise fifty notebooks that wait would evict each other in turns.
    (PriorityName.EXPLORATORY, 1_000, "Never",
     "Notebooks and experiments: may be preempted, preempt nothing."),
)  # fmt: skip
_DEFAULT = PriorityName.EXPLORATORY
"""What a pod gets that names no class."""


def priority_classes() -> list[dict[str, Any]]:
    """The three classes, highest first."""
    return [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name.value, "labels": {MANAGED_BY: FIELD_MANAGER}},
            "value": value,
            "globalDefault": name is _DEFAULT,
            "preemptionPolicy": policy,
            "description": description,
        }
        for name, value, policy, description in _CLASSES
    ]


def priority_difference(
    wanted: Mapping[str, Any], existing: Mapping[tuple[str, str], Mapping[str, Any]]
) -> str | None:
    """Why the class cannot become what is wanted, as a sentence; None where nothing is in the way.

    Value and preemption policy of a class are immutable and running pods carry the value, so a class that
    is another one is never rewritten. The cluster can have one global default.
    """
    found = existing.get(("PriorityClass", wanted["metadata"]["name"]))
    if found is not None:
        for field, default in (("value", 0), ("preemptionPolicy", "PreemptLowerPriority")):
            have = found.get(field, default)
            if have != wanted[field]:
                return (
                    f"its {field} is {have}, the platform's is {wanted[field]}, and it cannot be changed:"
                    " delete the class when no pod uses it, then run this again"
                )
    if wanted["globalDefault"]:
        for (kind, name), other in existing.items():
            if kind == "PriorityClass" and name != wanted["metadata"]["name"] and other.get("globalDefault"):
                return f"the cluster's default class is {name}, and there can be one only"
    return None
