"""Pods: service account and its token volume, runtime class, default tolerations."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import forbidden
from sandbox.kubernetes.jsontypes import Object, clone
from sandbox.kubernetes.names import random_suffix
from sandbox.kubernetes.request import Call

__all__ = ["set_runtime_class", "set_service_account", "set_tolerations"]

_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 (a path, no secret)


def set_service_account(cluster: Cluster, call: Call, pod: Object) -> None:
    spec, namespace = pod["spec"], pod["metadata"]["namespace"]
    name = spec.get("serviceAccountName") or "default"
    account = cluster.get("", "serviceaccounts", namespace, name)
    if account is None:
        text = f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'
        raise forbidden("", "pods", pod["metadata"].get("name", ""), text)
    spec["serviceAccountName"] = spec["serviceAccount"] = name
    wanted = spec.get("automountServiceAccountToken", account.get("automountServiceAccountToken", True))
    if not wanted:
        return
    if account.get("imagePullSecrets") and not spec.get("imagePullSecrets"):
        spec["imagePullSecrets"] = clone(account["imagePullSecrets"])
    volume = f"kube-api-access-{random_suffix()}"
    used = False
    for container in [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]:
        mounts = container.setdefault("volumeMounts", [])
        if any(mount.get("mountPath") == _TOKEN_PATH for mount in mounts):
            continue
        mounts.append({"name": volume, "readOnly": True, "mountPath": _TOKEN_PATH})
        used = True
    if used:
        spec.setdefault("volumes", []).append({"name": volume, "projected": _projection()})
    del call


def _projection() -> Object:
    return {
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {
                "downwardAPI": {
                    "items": [
                        {
                            "path": "namespace",
                            "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                        }
                    ]
                }
            },
        ],
        "defaultMode": 420,
    }


def set_tolerations(pod: Object) -> None:
    """Five minutes on a node that is not ready or not reachable."""
    tolerations = pod["spec"].setdefault("tolerations", [])
    for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"):
        tolerated = any(
            item.get("key", "") in (key, "") and item.get("effect", "") in ("NoExecute", "")
            for item in tolerations
        )
        if not tolerated:
            tolerations.append(
                {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
            )


def set_runtime_class(cluster: Cluster, pod: Object) -> None:
    name = pod["spec"].get("runtimeClassName")
    if not name:
        if pod["spec"].get("overhead"):
            raise forbidden(
                "",
                "pods",
                pod["metadata"].get("name", ""),
                "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
            )
        return
    runtime = cluster.get("node.k8s.io", "runtimeclasses", "", name)
    if runtime is None:
        text = f'pod rejected: RuntimeClass "{name}" not found'
        raise forbidden("", "pods", pod["metadata"].get("name", ""), text)
    overhead = (runtime.get("overhead") or {}).get("podFixed")
    if overhead:
        pod["spec"]["overhead"] = clone(overhead)
    scheduling = runtime.get("scheduling") or {}
    if scheduling.get("nodeSelector"):
        pod["spec"]["nodeSelector"] = {
            **(pod["spec"].get("nodeSelector") or {}),
            **scheduling["nodeSelector"],
        }
    if scheduling.get("tolerations"):
        pod["spec"].setdefault("tolerations", []).extend(clone(scheduling["tolerations"]))
