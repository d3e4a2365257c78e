"""The step that is done for each tenant: give it what it asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpuplatform.azure.clients import AzureClients
from gpuplatform.errors import Conflict, PlatformError, Retryable
from gpuplatform.kubernetes.cluster import open_cluster
from gpuplatform.settings import Settings
from gpuplatform.tenants.apply import Objects, apply_all, apply_one, remove_leftovers
from gpuplatform.tenants.client import ClusterObjects
from gpuplatform.tenants.client_azure import ensure_cluster_user
from gpuplatform.tenants.manifests.queues import KUEUE_GROUP
from gpuplatform.tenants.manifests.tenant import tenant_manifests
from gpuplatform.tenants.names import FIELD_MANAGER, MANAGED_BY, PREFIX
from gpuplatform.tenants.pools import capacity_gap
from gpuplatform.tenants.request import TenantRequest
from gpuplatform.tenants.results import ObjectResult, Outcome, Tenancy, TenantOutcome
from gpuplatform.tenants.waiting import await_queue, await_quotas, over_use

__all__ = ["apply_tenant", "onboard_tenant"]

Report = Callable[[str], None]


def onboard_tenant(
    clients: AzureClients, tenancy: Tenancy, request: TenantRequest, report: Report
) -> TenantOutcome:
    """Let the group reach the cluster and make the tenant's objects what the request says.

    Raises:
        Conflict: the namespace is somebody else's or is being deleted.
        Retryable: Azure or the cluster did not answer; doing it again is safe.
    """
    limits = clients.settings
    with open_cluster(clients, tenancy.resource_group, tenancy.cluster_name) as cluster:
        outcome = apply_tenant(ClusterObjects(cluster), tenancy, request, limits, report)
    # After the objects: an unknown group must not cost the team its namespace and quota.
    role = _let_in(clients, tenancy, request, report)
    return outcome.model_copy(update={"objects": (*outcome.objects, role)})


def _let_in(clients: AzureClients, tenancy: Tenancy, request: TenantRequest, report: Report) -> ObjectResult:
    outcome, detail = Outcome.UNCHANGED, ""
    try:
        timeout = clients.settings.principal_timeout_seconds
        if ensure_cluster_user(clients, tenancy.cluster_id, request.group_object_id, timeout, report):
            outcome = Outcome.CREATED
    except Retryable:
        raise
    except PlatformError as error:
        outcome, detail = Outcome.FAILED, str(error)
    result = ObjectResult(
        kind="Azure role", name="Azure Kubernetes Service Cluster User Role", outcome=outcome, detail=detail
    )
    if outcome is not Outcome.UNCHANGED:
        report(str(result))
    return result


def apply_tenant(
    objects: Objects, tenancy: Tenancy, request: TenantRequest, limits: Settings, report: Report
) -> TenantOutcome:
    """Apply the tenant's objects, remove what is no longer asked for, wait until the quota is in force."""
    namespace, version = request.namespace, tenancy.kueue_version
    first, *rest = tenant_manifests(request, version)
    found = objects.get("v1", "Namespace", namespace)
    _require_ours(found, request)
    results = [apply_one(objects, first, {("Namespace", namespace): found} if found else {})]
    if results[0].failed:
        raise Conflict(results[0].detail)
    if results[0].changed:
        report(str(results[0]))
    kinds = {(item["apiVersion"], item["kind"]) for item in rest}
    existing = objects.list_all(kinds, namespace) if found else {}
    results += apply_all(objects, rest, existing, report)
    results += remove_leftovers(objects, rest, existing, namespace, report)

    quotas = [item["metadata"]["name"] for item in rest if item["kind"] == "ResourceQuota"]
    failed = {item.name for item in results if item.kind == "ResourceQuota" and item.failed}
    quota, late = await_quotas(
        objects, namespace, [name for name in quotas if name not in failed], limits.tenant_timeout_seconds
    )
    results = [
        item.model_copy(
            update={
                "outcome": Outcome.FAILED,
                "detail": f"not in force after {limits.tenant_timeout_seconds:g} s: everything is admitted",
            }
        )
        if item.kind == "ResourceQuota" and item.name in late
        else item
        for item in results
    ]
    notes = [
        capacity_gap(request.gpus, request.gpu_model, tenancy.pools),
        over_use(quota) if quota else None,
        _queue_gap(objects, tenancy, request, limits),
    ]
    return TenantOutcome(request=request, objects=tuple(results), notes=tuple(text for text in notes if text))


def _require_ours(found: Mapping[str, Any] | None, request: TenantRequest) -> None:
    """A namespace that we did not make is not ours to wall in and to hand to a team."""
    if found is None:
        return
    name, metadata = request.namespace, found["metadata"]
    if metadata.get("deletionTimestamp") or (found.get("status") or {}).get("phase") == "Terminating":
        reasons = [
            str(item.get("message"))
            for item in (found.get("status") or {}).get("conditions") or ()
            if item.get("status") == "True" and item.get("message")
        ]
        why = f": {'; '.join(reasons)[:500]}" if reasons else ""
        raise Conflict(f"the namespace {name} is being deleted; run this again when it is gone{why}")
    labels = metadata.get("labels") or {}
    if labels.get(MANAGED_BY) != FIELD_MANAGER or labels.get(f"{PREFIX}/team", request.team) != request.team:
        raise Conflict(
            f"the namespace {name} exists and is not the platform's; to hand it over:"
            f" kubectl label namespace {name} {MANAGED_BY}={FIELD_MANAGER} --overwrite"
        )


def _queue_gap(objects: Objects, tenancy: Tenancy, request: TenantRequest, limits: Settings) -> str | None:
    if tenancy.kueue_version is None or not tenancy.pools:
        return None  # said once for all tenants
    state = await_queue(
        objects,
        f"{KUEUE_GROUP}/{tenancy.kueue_version}",
        request.namespace,
        request.queue,
        limits.queue_timeout_seconds,
    )
    if state.active:
        return None
    said = state.message or f"Kueue said nothing about it in {limits.queue_timeout_seconds:g} s"
    return f"the queue {request.queue} takes no jobs yet: {said}"
