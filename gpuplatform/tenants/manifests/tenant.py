"""All objects of a tenant, in the order in which they are applied."""

from __future__ import annotations

from typing import Any

from gpuplatform.tenants.manifests.access import role, role_binding
from gpuplatform.tenants.manifests.namespace import namespace
from gpuplatform.tenants.manifests.network import network_policies
from gpuplatform.tenants.manifests.queues import local_queue
from gpuplatform.tenants.manifests.quota import limit_range, resource_quotas
from gpuplatform.tenants.request import TenantRequest

__all__ = ["tenant_manifests"]


def tenant_manifests(request: TenantRequest, kueue_version: str | None) -> list[dict[str, Any]]:
    """The namespace first, limits and walls before anybody gets in, the queue last.

    With no Kueue in the cluster (None) there is no queue.
    """
    manifests = [
        namespace(request),
        *resource_quotas(request),
        limit_range(request),
        *network_policies(request),
        role(request),
        role_binding(request),
    ]
    if kueue_version is not None:
        manifests.append(local_queue(request, kueue_version))
    return manifests
