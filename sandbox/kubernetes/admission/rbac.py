"""Nobody grants what he does not hold."""

from __future__ import annotations

from sandbox.kubernetes.authorization import MASTERS, Action, covers
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import forbidden, not_found
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.request import Call

__all__ = ["check_escalation"]

_GROUP = "rbac.authorization.k8s.io"


def check_escalation(cluster: Cluster, call: Call, new: Object, old: Object | None) -> None:
    resource, user = call.resource, call.user
    if resource is None or MASTERS in user.groups:
        return
    namespace = new["metadata"].get("namespace", "")
    name = new["metadata"].get("name", "")
    if resource.kind in ("Role", "ClusterRole"):
        if old is not None and old.get("rules") == new.get("rules"):
            return
        verb, rules = "escalate", new.get("rules") or []
        action = Action(verb, _GROUP, resource.plural, namespace=namespace, name=name)
    else:
        ref = new["roleRef"]
        if old is not None and old.get("subjects") == new.get("subjects"):
            return
        plural = "clusterroles" if ref["kind"] == "ClusterRole" else "roles"
        action = Action("bind", _GROUP, plural, namespace=namespace, name=ref["name"])
        found = cluster.authorizer.role_rules(ref, namespace)
        if found is None and not cluster.authorizer.allowed(user, action)[0]:
            raise not_found(_GROUP, resource.plural, ref["name"])
        rules = found or []
    if cluster.authorizer.allowed(user, action)[0]:
        return
    owned = cluster.authorizer.rules(user, namespace)
    missing = [part for rule in rules for part in _parts(rule) if not covers(owned, part)]
    if missing:
        groups = " ".join(f'"{group}"' for group in user.groups)
        text = (
            f'user "{user.username}" (groups=[{groups}]) is attempting to grant RBAC permissions not'
            " currently held:"
        )
        raise forbidden(_GROUP, resource.plural, name, f"{text}\n" + "\n".join(_compact(missing)))


def _parts(rule: Object) -> list[Object]:
    out: list[Object] = []
    for verb in rule.get("verbs") or ():
        for group in rule.get("apiGroups") or ():
            for resource in rule.get("resources") or ():
                names = rule.get("resourceNames") or [None]
                for name in names:
                    part: Object = {"verbs": [verb], "apiGroups": [group], "resources": [resource]}
                    if name is not None:
                        part["resourceNames"] = [name]
                    out.append(part)
        out.extend({"verbs": [verb], "nonResourceURLs": [url]} for url in rule.get("nonResourceURLs") or ())
    return out


def _compact(parts: list[Object]) -> list[str]:
    """One line a group and resource, its verbs together, sorted."""
    grouped: dict[tuple[str, str, str], list[str]] = {}
    urls: dict[str, list[str]] = {}
    for part in parts:
        if "nonResourceURLs" in part:
            urls.setdefault(part["nonResourceURLs"][0], []).append(part["verbs"][0])
            continue
        key = (part["apiGroups"][0], part["resources"][0], (part.get("resourceNames") or [""])[0])
        verbs = grouped.setdefault(key, [])
        if part["verbs"][0] not in verbs:
            verbs.append(part["verbs"][0])
    lines = []
    for (group, resource, name), verbs in grouped.items():
        listed = " ".join(f'"{verb}"' for verb in verbs)
        names = f', ResourceNames:["{name}"]' if name else ""
        lines.append(f'{{APIGroups:["{group}"], Resources:["{resource}"]{names}, Verbs:[{listed}]}}')
    lines += [
        f'{{NonResourceURLs:["{url}"], Verbs:[{" ".join(chr(34) + v + chr(34) for v in verbs)}]}}'
        for url, verbs in urls.items()
    ]
    return sorted(lines)
