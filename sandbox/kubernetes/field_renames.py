"""Fields that have other names in another version of a kind, for managers that wrote in that version."""

from __future__ import annotations

from sandbox.kubernetes.fieldsets import FieldSet

__all__ = ["in_version"]

_OLD, _NEW = "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"
_PAIRS = (
    (("f:spec", "f:cohort"), ("f:spec", "f:cohortName")),
    (("f:spec", "f:admissionChecks"), ("f:spec", "f:admissionChecksStrategy", "f:admissionChecks")),
    (("f:spec", "f:priorityClassName"), ("f:spec", "f:priorityClassRef")),
)


def in_version(fields: FieldSet, source: str, target: str) -> FieldSet:
    """The same fields under the names that the target version has for them."""
    if (source, target) == (_OLD, _NEW):
        return _renamed(fields, _PAIRS)
    if (source, target) == (_NEW, _OLD):
        return _renamed(fields, tuple((new, old) for old, new in _PAIRS))
    return fields


def _renamed(fields: FieldSet, pairs: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]) -> FieldSet:
    out = set()
    for path in fields:
        for old, new in pairs:
            if path[: len(old)] == old:
                out.add((*new, *path[len(old) :]))
                break
        else:
            out.add(path)
    return frozenset(out)
