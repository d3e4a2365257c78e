"""What the people of a team may do in their namespace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuplatform.tenants.request import TenantRequest

__all__ = ["BINDING", "ROLE", "role", "role_binding"]

ROLE = "gpu-workload-role"
BINDING = "gpu-workload-users"
_RBAC = "rbac.authorization.k8s.io"


def role(request: TenantRequest) -> dict[str, Any]:
    """Their own workloads, and a look at their limits and queue; no quota, namespace or RBAC writes.

    `patch` is what `kubectl apply` needs besides `create`. There is no access to secrets.
    """
    work = ["get", "list", "watch", "create", "patch", "delete"]
    look = ["get", "list", "watch"]
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "Role",
        "metadata": _metadata(request, ROLE),
        "rules": [
            _rule("", ["pods", "services", "configmaps", "persistentvolumeclaims"], work),
            _rule("", ["pods/log"], ["get"]),
            _rule("", ["events", "resourcequotas", "limitranges"], look),
            _rule("batch", ["jobs"], work),
            _rule("apps", ["deployments"], [*work, "update"]),
            _rule("kueue.x-k8s.io", ["localqueues", "workloads"], look),
        ],
    }


def role_binding(request: TenantRequest) -> dict[str, Any]:
    """The role for the team's Entra ID group, which AKS knows by its object id only."""
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": _metadata(request, BINDING),
        "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": ROLE},
        "subjects": [{"apiGroup": _RBAC, "kind": "Group", "name": request.group_object_id}],
    }


def _metadata(request: TenantRequest, name: str) -> dict[str, Any]:
    return {"name": name, "namespace": request.namespace, "labels": request.labels}


def _rule(group: str, resources: Sequence[str], verbs: Sequence[str]) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}
