"""Waiting for what the cluster's controllers say about a tenant's quota and queue."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gpuplatform.tenants.apply import Objects
from gpuplatform.tenants.manifests.quota import GPU_KEY, QUOTA
from gpuplatform.tenants.quantities import parse_quantity, same_quantities

__all__ = ["QueueState", "await_queue", "await_quotas", "over_use", "queue_state", "quota_in_force"]

_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 1.0


@dataclass(frozen=True)
class QueueState:
    """Whether a queue takes jobs; `active` is None until Kueue has said something."""

    active: bool | None
    message: str = ""


def quota_in_force(quota: Mapping[str, Any]) -> bool:
    """Whether the quota is enforced as it stands in its spec.

    Until a controller has filled the status, the API server admits everything.
    """
    hard = (quota.get("spec") or {}).get("hard") or {}
    status = quota.get("status") or {}
    return (
        same_quantities(hard, status.get("hard") or {}) and hard.keys() <= (status.get("used") or {}).keys()
    )


def over_use(quota: Mapping[str, Any]) -> str | None:
    """A sentence where more GPUs are in use than the quota allows; a lower quota evicts nothing."""
    hard = ((quota.get("spec") or {}).get("hard") or {}).get(GPU_KEY)
    used = ((quota.get("status") or {}).get("used") or {}).get(GPU_KEY)
    if hard is None or used is None:
        return None
    limit, use = parse_quantity(hard), parse_quantity(used)
    if use <= limit:
        return None
    return (
        f"{use.normalize():f} GPUs are in use, {(use - limit).normalize():f} more than the quota of"
        f" {limit.normalize():f}: running pods stay, new ones are refused until the use falls"
    )


def queue_state(queue: Mapping[str, Any] | None) -> QueueState:
    """What Kueue says about a LocalQueue."""
    conditions = ((queue or {}).get("status") or {}).get("conditions") or ()
    for condition in conditions:
        if condition.get("type") == "Active":
            message = f"{condition.get('message', '')} ({condition.get('reason', 'no reason')})"
            return QueueState(condition.get("status") == "True", message)
    return QueueState(None)


def await_quotas(
    objects: Objects, namespace: str, names: Iterable[str], timeout: float
) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """The GPU quota once all quotas are in force, and the names of those that are not at the deadline."""
    deadline = time.monotonic() + timeout
    pending, pause = list(names), _FIRST_PAUSE
    found: dict[str, dict[str, Any] | None] = {}
    while True:
        for name in list(pending):
            found[name] = objects.get("v1", "ResourceQuota", name, namespace)
            if quota_in_force(found[name] or {"spec": {"hard": {"absent": "0"}}}):
                pending.remove(name)
        if not pending or time.monotonic() + pause > deadline:
            return found.get(QUOTA), tuple(pending)
        time.sleep(pause)
        pause = min(pause * 1.6, _LONGEST_PAUSE)


def await_queue(objects: Objects, version: str, namespace: str, name: str, timeout: float) -> QueueState:
    """The queue's state: as soon as it is active, otherwise what it is at the deadline."""
    deadline, pause = time.monotonic() + timeout, _FIRST_PAUSE
    while True:
        state = queue_state(objects.get(version, "LocalQueue", name, namespace))
        if state.active or time.monotonic() + pause > deadline:
            return state
        time.sleep(pause)
        pause = min(pause * 1.6, _LONGEST_PAUSE)
