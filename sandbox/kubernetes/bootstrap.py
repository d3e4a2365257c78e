"""What a new cluster contains: namespaces, ClusterRoles, priority classes, DNS."""

from __future__ import annotations

import json
from pathlib import Path

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import add
from sandbox.kubernetes.jsontypes import Object

__all__ = ["fill"]

_RBAC = "rbac.authorization.k8s.io"
_SERVER = "kube-apiserver"
_BOOTSTRAP = {"kubernetes.io/bootstrapping": "rbac-defaults"}
_SYSTEM_CLASSES = (
    (
        "system-cluster-critical",
        2000000000,
        (
            "Used for system critical pods that must run in the cluster, but can be moved to another node if"
            " necessary."
        ),
    ),
    (
        "system-node-critical",
        2000001000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
)


def fill(cluster: Cluster) -> None:
    """Puts the built-in objects into an empty cluster."""
    data = json.loads((Path(__file__).parent / "data" / "cluster_roles.json").read_text(encoding="utf-8"))
    roles = dict(data["roles"])
    if "kueue" in cluster.features:
        roles |= data["kueue"]
    for name, entry in roles.items():
        _add_role(cluster, name, entry, builtin=name in data["roles"])
    for name, role, groups in data["bindings"]:
        subjects = [{"kind": "Group", "apiGroup": _RBAC, "name": group} for group in groups]
        ref = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": role}
        add(
            cluster,
            f"{_RBAC}/clusterrolebindings",
            {"metadata": _meta(name, _BOOTSTRAP), "subjects": subjects, "roleRef": ref},
            _SERVER,
        )
    for name in ("default", "kube-system", "kube-public", "kube-node-lease"):
        add(cluster, "/namespaces", {"metadata": {"name": name}}, _SERVER)
    for name, value, text in _SYSTEM_CLASSES:
        add(
            cluster,
            "scheduling.k8s.io/priorityclasses",
            {"metadata": {"name": name}, "value": value, "description": text},
            _SERVER,
        )
    cluster.settle()
    if "kubelet" in cluster.features:
        _add_dns(cluster)
    cluster.settle()


def _meta(name: str, labels: Object) -> Object:
    out: Object = {"name": name}
    if labels:
        out["labels"] = dict(labels)
    return out


def _add_role(cluster: Cluster, name: str, entry: Object, *, builtin: bool) -> None:
    labels = {**(_BOOTSTRAP if builtin else {}), **entry.get("labels", {})}
    role: Object = {"metadata": _meta(name, labels)}
    if "rules" in entry:
        role["rules"] = entry["rules"]
    if "aggregate" in entry:
        role["aggregationRule"] = {
            "clusterRoleSelectors": [{"matchLabels": {key: "true"}} for key in entry["aggregate"]]
        }
    add(cluster, f"{_RBAC}/clusterroles", role, _SERVER)


def _add_dns(cluster: Cluster) -> None:
    labels = {"k8s-app": "kube-dns", "kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS"}
    ports = [
        {"name": "dns", "port": 53, "protocol": "UDP", "targetPort": 53},
        {"name": "dns-tcp", "port": 53, "protocol": "TCP", "targetPort": 53},
    ]
    service = {
        "metadata": {"name": "kube-dns", "namespace": "kube-system", "labels": labels},
        "spec": {
            "clusterIP": "10.0.0.10",
            "clusterIPs": ["10.0.0.10"],
            "ports": ports,
            "selector": {"k8s-app": "kube-dns"},
        },
    }
    add(cluster, "/services", service, "kube-addon-manager")
    container = {"name": "coredns", "image": "mcr.microsoft.com/oss/v2/kubernetes/coredns:v1.12.1"}
    template = {
        "metadata": {"labels": {"k8s-app": "kube-dns"}},
        "spec": {
            "containers": [container],
            "priorityClassName": "system-node-critical",
            "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}],
        },
    }
    deployment = {
        "metadata": {"name": "coredns", "namespace": "kube-system", "labels": labels},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"k8s-app": "kube-dns"}}, "template": template},
    }
    add(cluster, "apps/deployments", deployment, "kube-addon-manager")
