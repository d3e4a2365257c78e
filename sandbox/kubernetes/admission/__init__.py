"""What stands between a valid request and the store: namespaces, limits, priorities, quotas, policies."""

from __future__ import annotations

from sandbox.kubernetes.admission import (
    kueue,
    kueue_jobs,
    limits,
    pod_security,
    pod_security_namespaces,
    pods,
    priority,
    quota,
    rbac,
)
from sandbox.kubernetes.admission.namespaces import check_namespace
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.request import Call

__all__ = ["check_namespace", "mutate", "validate"]


def mutate(cluster: Cluster, call: Call, new: Object, old: Object | None) -> None:
    """Changes the object in place, as the mutating plugins do. Raises ApiError."""
    resource = call.resource
    if resource is None:
        return
    if resource.key == "/pods":
        priority.set_priority(cluster, new, old)
        if old is None:
            pods.set_service_account(cluster, call, new)
            limits.set_defaults(cluster, new)
            pods.set_tolerations(new)
            pods.set_runtime_class(cluster, new)
    elif resource.key == "scheduling.k8s.io/priorityclasses":
        priority.check_global_default(cluster, new, old)
    if "kueue" in cluster.features:
        kueue.mutate(cluster, resource, new, old)
        kueue_jobs.mutate_job(cluster, resource, new, old)


def validate(cluster: Cluster, call: Call, new: Object, old: Object | None) -> None:
    """Raises ApiError where a validating plugin refuses."""
    resource = call.resource
    if resource is None:
        return
    if resource.group == "rbac.authorization.k8s.io":
        rbac.check_escalation(cluster, call, new, old)
    if resource.key == "/pods" and old is None:
        limits.check(cluster, new)
        pod_security.check(cluster, call, new)
    elif resource.key == "/pods" and old is not None and pod_security.matters(new, old):
        pod_security.check(cluster, call, new)
    elif resource.key == "/namespaces" and old is not None and not call.target.subresource:
        pod_security_namespaces.warn_of_pods(cluster, call, new, old)
    elif resource.key == "/persistentvolumeclaims" and old is None:
        limits.check_claim(cluster, new)
    if "kueue" in cluster.features:
        kueue.validate(resource, call, new)
        kueue_jobs.validate_job(resource, call, new, old)
    quota.check(cluster, call, new, old)
