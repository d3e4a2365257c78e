"""Making a cluster's objects what they should be, and saying for each what that took."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from gpuplatform.errors import Conflict, PlatformError, Retryable
from gpuplatform.tenants.names import FIELD_MANAGER, MANAGED_BY
from gpuplatform.tenants.results import ObjectResult, Outcome

__all__ = ["Objects", "apply_all", "apply_one", "remove_leftovers"]

Existing = Mapping[tuple[str, str], Mapping[str, Any]]
_CONTENT = ("labels", "annotations")


class Objects(Protocol):
    """What a cluster must offer; see `gpuplatform.tenants.client`."""

    def get(
        self, api_version: str, kind: str, name: str, namespace: str | None = None, /
    ) -> dict[str, Any] | None: ...

    def list_all(
        self, kinds: Iterable[tuple[str, str]], namespace: str | None
    ) -> dict[tuple[str, str], dict[str, Any]]: ...

    def apply(self, manifest: Mapping[str, Any]) -> dict[str, Any]: ...

    def delete(self, api_version: str, kind: str, name: str, namespace: str | None = None, /) -> None: ...


def apply_all(
    objects: Objects,
    manifests: Iterable[Mapping[str, Any]],
    existing: Existing,
    report: Callable[[str], None],
) -> list[ObjectResult]:
    """Apply each in order. One that is refused or in conflict does not keep the others from being applied.

    Raises:
        Retryable: the cluster or a webhook did not answer; applying again is safe.
    """
    results = []
    for manifest in manifests:
        result = apply_one(objects, manifest, existing)
        if result.outcome is not Outcome.UNCHANGED:
            report(str(result))
        results.append(result)
    return results


def apply_one(objects: Objects, manifest: Mapping[str, Any], existing: Existing) -> ObjectResult:
    """Apply one object and compare it with what was there before."""
    kind, name = manifest["kind"], manifest["metadata"]["name"]
    before = existing.get((kind, name))
    try:
        anew = kind == "RoleBinding" and before is not None and before.get("roleRef") != manifest["roleRef"]
        if anew:  # a binding's role is immutable, with force as well
            objects.delete(manifest["apiVersion"], kind, name, manifest["metadata"]["namespace"])
        after = objects.apply(manifest)
    except Retryable:
        raise
    except Conflict as error:
        return ObjectResult(kind=kind, name=name, outcome=Outcome.CONFLICT, detail=str(error))
    except PlatformError as error:
        return ObjectResult(kind=kind, name=name, outcome=Outcome.FAILED, detail=str(error))
    if anew:
        outcome, detail = Outcome.RECREATED, "it gave another role"
    elif before is None:
        outcome, detail = Outcome.CREATED, ""
    else:
        differences = _differences(_content(before), _content(after))
        outcome = Outcome.CHANGED if differences else Outcome.UNCHANGED
        detail = ", ".join(differences[:5])
    return ObjectResult(kind=kind, name=name, outcome=outcome, detail=detail)


def remove_leftovers(
    objects: Objects,
    wanted: Iterable[Mapping[str, Any]],
    existing: Existing,
    namespace: str,
    report: Callable[[str], None],
) -> list[ObjectResult]:
    """Delete what an earlier request of this tenant needed and this one does not, such as an allowance.

    Only objects with our label are ours to delete.
    """
    keep = {(item["kind"], item["metadata"]["name"]) for item in wanted}
    versions = {item["kind"]: item["apiVersion"] for item in wanted}
    results = []
    for (kind, name), found in existing.items():
        ours = (found["metadata"].get("labels") or {}).get(MANAGED_BY) == FIELD_MANAGER
        if (kind, name) in keep or not ours or kind not in versions:
            continue
        try:
            objects.delete(versions[kind], kind, name, namespace)
            result = ObjectResult(kind=kind, name=name, outcome=Outcome.REMOVED)
        except Retryable:
            raise
        except PlatformError as error:
            result = ObjectResult(kind=kind, name=name, outcome=Outcome.FAILED, detail=str(error))
        report(str(result))
        results.append(result)
    return results


def _content(item: Mapping[str, Any]) -> dict[str, Any]:
    """What people decide about an object: no status, versions, owners or timestamps."""
    content = {key: value for key, value in item.items() if key not in {"apiVersion", "kind", "status"}}
    metadata = item.get("metadata") or {}
    content["metadata"] = {key: dict(metadata.get(key) or {}) for key in _CONTENT}
    return content


def _differences(before: Any, after: Any, place: str = "") -> list[str]:
    """The places at which two objects differ, such as `spec.hard.pods: 50 → 20`."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return [
            line
            for key in sorted({*before, *after})
            for line in _differences(before.get(key), after.get(key), f"{place}.{key}" if place else key)
        ]
    if before == after:
        return []
    if isinstance(before, str | int) and isinstance(after, str | int):
        return [f"{place}: {str(before)[:40]} → {str(after)[:40]}"]
    return [place]
