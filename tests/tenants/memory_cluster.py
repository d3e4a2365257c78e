"""A cluster in memory, for the faults that a real one is hard to bring to."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any


class MemoryCluster:
    """Keeps what is applied whole, and plays the controllers: `in_force` and `queue_active`."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.calls: list[tuple[str, str, str]] = []
        self.refusals: dict[tuple[str, str], Exception] = {}
        self.in_force = True
        self.queue_active: bool | None = True
        self.used_gpus = "0"

    def put(self, item: Mapping[str, Any]) -> None:
        metadata = item["metadata"]
        key = (item["kind"], metadata["name"], metadata.get("namespace") or "")
        self.items[key] = copy.deepcopy(dict(item))

    def get(  # one version of each kind is all there is here
        self, _api_version: str, kind: str, name: str, namespace: str | None = None
    ) -> dict[str, Any] | None:
        self.calls.append(("get", kind, name))
        item = self.items.get((kind, name, namespace or ""))
        return None if item is None else self._with_status(item)

    def list_all(
        self, kinds: Iterable[tuple[str, str]], namespace: str | None
    ) -> dict[tuple[str, str], dict[str, Any]]:
        wanted = {kind for _, kind in kinds}
        self.calls += [("list", kind, "") for kind in sorted(wanted)]
        return {
            (kind, name): self._with_status(item)
            for (kind, name, place), item in self.items.items()
            if kind in wanted and place == (namespace or "")
        }

    def apply(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        kind, name = manifest["kind"], manifest["metadata"]["name"]
        self.calls.append(("apply", kind, name))
        if (kind, name) in self.refusals:
            raise self.refusals[kind, name]
        self.put(manifest)
        return self._with_status(dict(manifest))

    def delete(self, _api_version: str, kind: str, name: str, namespace: str | None = None) -> None:
        self.calls.append(("delete", kind, name))
        self.items.pop((kind, name, namespace or ""), None)

    def writes(self) -> list[tuple[str, str, str]]:
        return [call for call in self.calls if call[0] in {"apply", "delete"}]

    def _with_status(self, found: Mapping[str, Any]) -> dict[str, Any]:
        item = copy.deepcopy(dict(found))
        if item["kind"] == "ResourceQuota" and self.in_force:
            hard = item["spec"]["hard"]
            used = {key: self.used_gpus if key.endswith("gpu") else "0" for key in hard}
            item["status"] = {"hard": hard, "used": used}
        if item["kind"] == "LocalQueue" and self.queue_active is not None:
            item["status"] = {
                "conditions": [
                    {
                        "type": "Active",
                        "status": str(self.queue_active),
                        "reason": "Ready" if self.queue_active else "ClusterQueueDoesNotExist",
                        "message": "Can submit" if self.queue_active else "Can't submit new workloads",
                    }
                ]
            }
        return item
