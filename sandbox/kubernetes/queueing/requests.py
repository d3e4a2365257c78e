"""What a Workload asks for: its pod sets' requests, as Kueue counts them."""

from __future__ import annotations

from decimal import Decimal

from sandbox.kubernetes import quantities
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.usage import pod_amounts

__all__ = ["Amounts", "amounts_text", "pod_set_requests", "quantity_text"]

Amounts = dict[str, Decimal]
_BINARY = ("memory", "ephemeral-storage")


def pod_set_requests(pod_set: Object) -> Amounts:
    """The requests of all pods of the set; a limit alone counts as a request."""
    spec = pod_set["template"]["spec"]
    counted = {
        **spec,
        "containers": [_with_requests(item) for item in spec.get("containers") or ()],
        "initContainers": [_with_requests(item) for item in spec.get("initContainers") or ()],
    }
    count = int(pod_set.get("count", 1))
    return {
        name: quantities.parse(str(value)) * count for name, value in pod_amounts(counted, "requests").items()
    }


def _with_requests(container: Object) -> Object:
    limits, requests = at(container, "resources", "limits"), at(container, "resources", "requests")
    return {**container, "resources": {"requests": {**(limits or {}), **(requests or {})}}}


def quantity_text(resource: str, value: Decimal) -> str:
    binary = resource in _BINARY or resource.startswith("hugepages-")
    return quantities.format_quantity(value, "binary" if binary else "decimal")


def amounts_text(amounts: Amounts) -> dict[str, str]:
    return {name: quantity_text(name, value) for name, value in amounts.items()}
