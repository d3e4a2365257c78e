"""How much a tenant may use: ResourceQuotas, and the defaults that make them usable."""

from __future__ import annotations

import re
from typing import Any

from gpuplatform.tenants.names import GPU_RESOURCE
from gpuplatform.tenants.request import PriorityName, TenantRequest

__all__ = ["GPU_KEY", "QUOTA", "limit_range", "resource_quotas"]

QUOTA = "gpu-quota"
GPU_KEY = f"requests.{GPU_RESOURCE}"
NO_PRODUCTION = "no-production-inference"

LIMIT_FACTOR = 2
"""Limits may be this many times the requests: CPU and memory are shared, GPUs never are."""


def resource_quotas(request: TenantRequest) -> list[dict[str, Any]]:
    """The quota, and for a team that serves no production one that keeps it off that priority class.

    The second is an object of its own: a quota with a priority scope cannot hold storage.
    """
    hard = {
        # Of extended resources only `requests.` counts: `limits.nvidia.com/gpu` is accepted by the API
        # server and never enforced, so a line with it would only look like a limit.
        GPU_KEY: str(request.gpus),
        "requests.cpu": str(request.cpu),
        "limits.cpu": str(request.cpu * LIMIT_FACTOR),
        "requests.memory": request.memory,
        "limits.memory": _times(request.memory, LIMIT_FACTOR),
        "requests.storage": request.storage,
        "pods": str(request.pods),
    }
    quotas = [_quota(request, QUOTA, {"hard": hard})]
    if request.default_priority_class is not PriorityName.PRODUCTION_INFERENCE:
        scope = {
            "scopeName": "PriorityClass",
            "operator": "In",
            "values": [PriorityName.PRODUCTION_INFERENCE.value],
        }
        spec = {"hard": {"pods": "0"}, "scopeSelector": {"matchExpressions": [scope]}}
        quotas.append(_quota(request, NO_PRODUCTION, spec))
    return quotas


def limit_range(request: TenantRequest) -> dict[str, Any]:
    """CPU and memory for containers that name none: under the quota they would be refused otherwise.

    GPUs are left out on purpose. A maximum of type Container gives one to every container, and one of type
    Pod refuses every pod that asks for no GPU ("No limit is specified"); the quota caps them already.
    """
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {
            "name": "container-defaults",
            "namespace": request.namespace,
            "labels": request.labels,
        },
        "spec": {
            "limits": [
                {
                    "type": "Container",
                    "defaultRequest": {"cpu": "500m", "memory": "1Gi"},
                    "default": {"cpu": "1", "memory": "4Gi"},
                }
            ]
        },
    }


def _quota(request: TenantRequest, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": request.namespace, "labels": request.labels},
        "spec": spec,
    }


def _times(size: str, factor: int) -> str:
    number, unit = re.fullmatch(r"(\d+)(\D+)", size).groups()  # type: ignore[union-attr] # a checked field
    return f"{int(number) * factor}{unit}"
