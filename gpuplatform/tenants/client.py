"""The objects in a cluster: read, server-side apply, delete."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

from gpuplatform.errors import NotFound
from gpuplatform.kubernetes.cluster import Cluster
from gpuplatform.tenants.manifests.queues import KUEUE_GROUP
from gpuplatform.tenants.names import FIELD_MANAGER

__all__ = ["ClusterObjects", "Key"]

Key = tuple[str, str]
"""Kind and name of an object, in one namespace or cluster-wide."""

PREFERRED_KUEUE = ("v1beta2", "v1beta1")
READERS = 8


class ClusterObjects:
    """Reads and writes whole objects as plain data; decides nothing."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._resources: dict[tuple[str, str], Any] = {}

    def kueue_version(self) -> str | None:
        """The version of Kueue's API to use, newest first; None where the cluster does not serve it."""
        try:
            with _errors("asking the cluster for Kueue"):
                group = self._cluster.dynamic.request("get", f"/apis/{KUEUE_GROUP}")
        except NotFound:
            return None
        served = {item["version"] for item in group.to_dict().get("versions") or ()}
        return next((version for version in PREFERRED_KUEUE if version in served), None)

    def get(
        self, api_version: str, kind: str, name: str, namespace: str | None = None
    ) -> dict[str, Any] | None:
        """One object; None where it does not exist."""
        resource = self._resource(api_version, kind)
        try:
            with _errors(f"reading {kind} {name}"):
                return _plain(resource.get(name=name, namespace=namespace))
        except NotFound:
            return None

    def list_all(self, kinds: Iterable[tuple[str, str]], namespace: str | None) -> dict[Key, dict[str, Any]]:
        """Every object of these (API version, kind) pairs, one request a pair, some at a time."""
        pairs = sorted(set(kinds))
        resources = [self._resource(*pair) for pair in pairs]  # discovery is not for several threads

        def read(place: int) -> list[tuple[Key, dict[str, Any]]]:
            kind = pairs[place][1]
            with _errors(f"listing {kind} in {namespace or 'the cluster'}"):
                found = _plain(resources[place].get(namespace=namespace))
            return [((kind, item["metadata"]["name"]), item) for item in found.get("items") or ()]

        with ThreadPoolExecutor(min(READERS, len(pairs) or 1), thread_name_prefix="objects") as pool:
            return dict(entry for entries in pool.map(read, range(len(pairs))) for entry in entries)

    def apply(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Server-side apply, not forced; answers the object as it is now.

        Raises:
            Conflict: another field manager owns a field that would change; the text names both.
            Retryable: the server or an admission webhook did not answer.
            PlatformError: the object was refused.
        """
        kind, metadata = manifest["kind"], manifest["metadata"]
        resource = self._resource(manifest["apiVersion"], kind)
        with _errors(f"applying {kind} {metadata['name']}"):
            return _plain(
                self._cluster.dynamic.server_side_apply(  # type: ignore[no-untyped-call] # the SDK's
                    resource,
                    body=dict(manifest),
                    name=metadata["name"],
                    namespace=metadata.get("namespace"),
                    field_manager=FIELD_MANAGER,
                )
            )

    def delete(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> None:
        """Delete one object; that it is gone already is fine."""
        resource = self._resource(api_version, kind)
        try:
            with _errors(f"deleting {kind} {name}"):
                resource.delete(name=name, namespace=namespace)
        except NotFound:
            pass

    def _resource(self, api_version: str, kind: str) -> Any:
        key = (api_version, kind)
        if key not in self._resources:
            with _errors(f"looking up {kind} {api_version}"):
                self._resources[key] = self._cluster.resource(api_version, kind)
        return self._resources[key]


def _plain(instance: Any) -> dict[str, Any]:
    answer: dict[str, Any] = instance.to_dict()
    return answer


def _errors(activity: str) -> AbstractContextManager[None]:
    from gpuplatform.kubernetes.errors import kubernetes_errors  # noqa: PLC0415 - imports the SDK

    return kubernetes_errors(activity)
