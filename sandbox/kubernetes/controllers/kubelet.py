"""The kubelets: a pod bound to a node runs; a pod that is deleted stops at once."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import find_resource, write_status
from sandbox.kubernetes.jsontypes import Object, at, now
from sandbox.kubernetes.store import Change

__all__ = ["reconcile", "running_status"]


def reconcile(cluster: Cluster, change: Change) -> None:
    if change.key != "/pods" or change.after is None:
        return
    metadata = change.after["metadata"]
    pod = cluster.store.get("/pods", metadata["namespace"], metadata["name"])
    if pod is None or pod["metadata"]["uid"] != metadata["uid"] or not pod["spec"].get("nodeName"):
        return
    if pod["metadata"].get("deletionTimestamp"):
        if not pod["metadata"].get("finalizers"):
            cluster.store.remove(find_resource(cluster, "/pods"), pod)
        return
    if at(pod, "status", "phase") == "Pending":
        write_status(cluster, "/pods", pod, running_status(pod), "kubelet")


def running_status(pod: Object) -> Object:
    """The status of a pod all of whose containers started."""
    time = now()
    names = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    before = {c["type"]: c for c in at(pod, "status", "conditions") or ()}
    conditions = [
        {
            "type": name,
            "status": "True",
            "lastProbeTime": None,
            "lastTransitionTime": before.get(name, {}).get("lastTransitionTime") or time,
        }
        for name in names
    ]
    statuses = [
        {
            "name": container["name"],
            "state": {"running": {"startedAt": time}},
            "lastState": {},
            "ready": True,
            "restartCount": 0,
            "image": container.get("image", ""),
            "imageID": container.get("image", ""),
            "containerID": f"containerd://{pod['metadata']['uid'].replace('-', '')}",
            "started": True,
        }
        for container in pod["spec"]["containers"]
    ]
    digits = int(pod["metadata"]["uid"].replace("-", "")[:6], 16)
    address = f"10.244.{digits >> 8 & 255}.{digits & 255 or 1}"
    return {
        **(pod.get("status") or {}),
        "phase": "Running",
        "conditions": conditions,
        "hostIP": "10.224.0.4",
        "hostIPs": [{"ip": "10.224.0.4"}],
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": time,
        "containerStatuses": statuses,
    }
