"""The namespace of a tenant."""

from __future__ import annotations

from typing import Any

from gpuplatform.tenants.names import PREFIX
from gpuplatform.tenants.request import TenantRequest

__all__ = ["namespace"]


def namespace(request: TenantRequest) -> dict[str, Any]:
    """The namespace; its annotations say whose it is and what for.

    Pod Security: privileged pods, host namespaces and host paths are refused (baseline), because a pod on
    the host sees every tenant's GPUs; what the stricter profile would refuse is only warned about, because
    most training images run as root.
    """
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": request.namespace,
            "labels": {
                **request.labels,
                "pod-security.kubernetes.io/enforce": "baseline",
                "pod-security.kubernetes.io/warn": "restricted",
            },
            "annotations": {
                f"{PREFIX}/owner": request.owner,
                f"{PREFIX}/contact": request.contact,
                f"{PREFIX}/justification": request.justification,
                f"{PREFIX}/default-priority-class": request.default_priority_class.value,
            },
        },
    }
