"""Deployments make ReplicaSets, ReplicaSets make pods."""

from __future__ import annotations

import hashlib
import json

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import (
    add,
    find_resource,
    set_condition,
    write_main,
    write_status,
    write_with_status,
)
from sandbox.kubernetes.controllers.pod_creation import create_pod, owner_reference
from sandbox.kubernetes.deleting import delete_object
from sandbox.kubernetes.jsontypes import Object, at, clone, now
from sandbox.kubernetes.store import Change

__all__ = ["reconcile"]

_MANAGER = "kube-controller-manager"
_SETS, _DEPLOYMENTS = "apps/replicasets", "apps/deployments"
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


def reconcile(cluster: Cluster, change: Change) -> None:
    obj = change.after or change.before
    if obj is None:
        return
    namespace = obj["metadata"].get("namespace", "")
    if change.key == _DEPLOYMENTS and change.after is not None:
        _deployment(cluster, namespace, obj["metadata"]["name"])
    elif change.key == _SETS and change.after is not None:
        _replica_set(cluster, namespace, obj["metadata"]["name"])
        _owner(cluster, obj, namespace)
    elif change.key == "/resourcequotas":
        # A quota that was raised lets the refused pods in.
        for replica_set in cluster.store.items(_SETS, namespace):
            _replica_set(cluster, namespace, replica_set["metadata"]["name"])
    elif change.key == "/pods":
        for reference in obj["metadata"].get("ownerReferences") or ():
            if reference["kind"] == "ReplicaSet":
                _replica_set(cluster, namespace, reference["name"])


def _owner(cluster: Cluster, obj: Object, namespace: str) -> None:
    for reference in obj["metadata"].get("ownerReferences") or ():
        if reference["kind"] == "Deployment":
            _deployment(cluster, namespace, reference["name"])


def _hash(template: Object) -> str:
    digest = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:10])


def _deployment(cluster: Cluster, namespace: str, name: str) -> None:
    deployment = cluster.store.get(_DEPLOYMENTS, namespace, name)
    if deployment is None or deployment["metadata"].get("deletionTimestamp"):
        return
    owned = [s for s in cluster.store.items(_SETS, namespace) if _owns(deployment, s)]
    wanted = _hash(deployment["spec"]["template"])
    current = next((s for s in owned if s["metadata"]["labels"].get("pod-template-hash") == wanted), None)
    if current is None:
        revision = str(
            1
            + max(
                (
                    int(s["metadata"]["annotations"].get("deployment.kubernetes.io/revision", 0))
                    for s in owned
                ),
                default=0,
            )
        )
        _annotate(cluster, deployment, revision)
        deployment = cluster.store.get(_DEPLOYMENTS, namespace, name) or deployment
        current = _new_set(cluster, deployment, wanted, revision)
    for replica_set in [*owned, *([current] if current not in owned else [])]:
        target = (
            deployment["spec"].get("replicas", 1)
            if replica_set["metadata"]["uid"] == current["metadata"]["uid"]
            else 0
        )
        if replica_set["spec"].get("replicas") != target:
            write_main(
                cluster,
                _SETS,
                replica_set,
                {**replica_set, "spec": {**replica_set["spec"], "replicas": target}},
                _MANAGER,
            )
    _deployment_status(cluster, namespace, name)


def _deployment_status(cluster: Cluster, namespace: str, name: str) -> None:
    """Counts of the newest ReplicaSet's pods, and the two conditions `kubectl rollout status` reads."""
    deployment = cluster.store.get(_DEPLOYMENTS, namespace, name)
    if deployment is None or deployment["metadata"].get("deletionTimestamp"):
        return
    digest = _hash(deployment["spec"]["template"])
    owned = [s for s in cluster.store.items(_SETS, namespace) if _owns(deployment, s)]
    current = next((s for s in owned if s["metadata"]["labels"].get("pod-template-hash") == digest), None)
    if current is None:
        return
    wanted = deployment["spec"].get("replicas", 1)
    total = sum(int(at(s, "status", "replicas") or 0) for s in owned)
    updated = int(at(current, "status", "replicas") or 0)
    ready = sum(int(at(s, "status", "readyReplicas") or 0) for s in owned)
    status: Object = {"observedGeneration": deployment["metadata"].get("generation", 1)}
    counts = {
        "replicas": total,
        "updatedReplicas": updated,
        "readyReplicas": ready,
        "availableReplicas": ready,
    }
    status |= {key: value for key, value in counts.items() if value}
    if total > ready or wanted > ready:
        status["unavailableReplicas"] = max(total, wanted) - ready
    status["terminatingReplicas"] = 0
    enough = ready >= wanted - wanted // 4
    available = ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    if enough:
        available = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    text = f'ReplicaSet "{current["metadata"]["name"]}"'
    progress = ("True", "ReplicaSetUpdated", f"{text} is progressing.")
    if updated == ready == wanted:
        progress = ("True", "NewReplicaSetAvailable", f"{text} has successfully progressed.")
    conditions = list(at(deployment, "status", "conditions") or ())
    for kind, (state, reason, message) in (("Available", available), ("Progressing", progress)):
        time = now()
        condition = {
            "type": kind,
            "status": state,
            "lastUpdateTime": time,
            "lastTransitionTime": time,
            "reason": reason,
            "message": message,
        }
        same = next(
            (
                c
                for c in conditions
                if c["type"] == kind and c["reason"] == reason and c["message"] == message
            ),
            None,
        )
        if same is None:
            conditions = set_condition(conditions, condition)
    status["conditions"] = conditions
    write_status(cluster, _DEPLOYMENTS, deployment, status, _MANAGER)


def _owns(owner: Object, obj: Object) -> bool:
    return any(ref["uid"] == owner["metadata"]["uid"] for ref in obj["metadata"].get("ownerReferences") or ())


def _annotate(cluster: Cluster, deployment: Object, revision: str) -> None:
    annotations = {
        **(deployment["metadata"].get("annotations") or {}),
        "deployment.kubernetes.io/revision": revision,
    }
    new = {**deployment, "metadata": {**deployment["metadata"], "annotations": annotations}}
    write_with_status(cluster, _DEPLOYMENTS, deployment, new, _MANAGER)


def _new_set(cluster: Cluster, deployment: Object, digest: str, revision: str) -> Object:
    spec = deployment["spec"]
    template = clone(spec["template"])
    template["metadata"].setdefault("labels", {})["pod-template-hash"] = digest
    selector = clone(spec["selector"])
    selector.setdefault("matchLabels", {})["pod-template-hash"] = digest
    replicas = spec.get("replicas", 1)
    new = {
        "metadata": {
            "name": f"{deployment['metadata']['name']}-{digest}",
            "namespace": deployment["metadata"]["namespace"],
            "labels": dict(template["metadata"]["labels"]),
            "annotations": {
                "deployment.kubernetes.io/desired-replicas": str(replicas),
                "deployment.kubernetes.io/max-replicas": str(replicas + -(-replicas // 4)),
                "deployment.kubernetes.io/revision": revision,
            },
            "ownerReferences": [owner_reference("apps/v1", "Deployment", deployment)],
        },
        "spec": {"replicas": replicas, "selector": selector, "template": template},
    }
    return add(cluster, _SETS, new, _MANAGER)


def _replica_set(cluster: Cluster, namespace: str, name: str) -> None:
    replica_set = cluster.store.get(_SETS, namespace, name)
    if replica_set is None or replica_set["metadata"].get("deletionTimestamp"):
        return
    pods = [
        p
        for p in cluster.items("", "pods", namespace)
        if _owns(replica_set, p) and not p["metadata"].get("deletionTimestamp")
    ]
    active = [p for p in pods if at(p, "status", "phase") not in ("Succeeded", "Failed")]
    wanted = replica_set["spec"].get("replicas", 1)
    for _ in range(wanted - len(active)):
        if create_pod(cluster, "apps/v1", "ReplicaSet", replica_set, replica_set["spec"]["template"]):
            break
    if wanted < len(active):
        for pod in active[wanted:]:
            delete_object(cluster, find_resource(cluster, "/pods"), pod, {})
    _set_status(cluster, namespace, name)


def _set_status(cluster: Cluster, namespace: str, name: str) -> None:
    replica_set = cluster.store.get(_SETS, namespace, name)
    if replica_set is None:
        return
    pods = [
        p
        for p in cluster.items("", "pods", namespace)
        if _owns(replica_set, p) and not p["metadata"].get("deletionTimestamp")
    ]
    ready = sum(_ready(p) for p in pods)
    status: Object = {"replicas": len(pods)}
    if pods:
        status["fullyLabeledReplicas"] = len(pods)
    if ready:
        status["readyReplicas"] = status["availableReplicas"] = ready
    status["observedGeneration"] = replica_set["metadata"].get("generation", 1)
    write_status(cluster, _SETS, replica_set, status, _MANAGER)


def _ready(pod: Object) -> bool:
    return any(c["type"] == "Ready" and c["status"] == "True" for c in at(pod, "status", "conditions") or ())
