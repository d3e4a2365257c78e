"""Impersonate-* headers: acting as someone else, where RBAC allows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sandbox.kubernetes.authorization import Action
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import ApiError, bad_request, forbidden
from sandbox.kubernetes.request import User

__all__ = ["impersonate"]

_EXTRA = "impersonate-extra-"


def _all(headers: Mapping[str, Any], name: str) -> list[str]:
    get_all = getattr(headers, "getall", None)
    if get_all is not None:
        return [str(value) for value in get_all(name, [])]
    value = headers.get(name)
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [str(value)]


def impersonate(cluster: Cluster, user: User, headers: Mapping[str, Any], asked: Action) -> User:
    """The user the request acts as; `asked` is what the request does. Raises ApiError (403 or 400)."""
    names, groups = _all(headers, "Impersonate-User"), _all(headers, "Impersonate-Group")
    extra = list(dict.fromkeys(key for key in headers if key.lower().startswith(_EXTRA)))
    uids = _all(headers, "Impersonate-Uid")
    if not names:
        if groups or extra or uids:
            raise bad_request(_nameless(groups, uids))
        return user
    name = names[0]
    wanted = [_subject(name)]
    wanted += [Action("impersonate", "", "groups", name=group) for group in groups]
    wanted += [Action("impersonate", "authentication.k8s.io", "uids", name=uid) for uid in uids]
    if not all(cluster.authorizer.allowed(user, action)[0] for action in wanted):
        _check_constrained(cluster, user, name, wanted, asked)
    if name == "system:anonymous":
        return User(name, tuple(groups) or ("system:unauthenticated",))
    if not groups and name.startswith("system:serviceaccount:"):
        namespace = name.split(":")[2]
        groups = ["system:serviceaccounts", f"system:serviceaccounts:{namespace}"]
    if "system:authenticated" not in groups and "system:unauthenticated" not in groups:
        groups = [*groups, "system:authenticated"]
    extras = tuple((key.lower().removeprefix(_EXTRA), tuple(_all(headers, key))) for key in extra)
    return User(name, tuple(groups), uids[0] if uids else "", extras)


def _subject(name: str) -> Action:
    if name.startswith("system:serviceaccount:") and name.count(":") == 3:
        _, _, namespace, account = name.split(":")
        return Action("impersonate", "", "serviceaccounts", namespace=namespace, name=account)
    return Action("impersonate", "", "users", name=name)


def _nameless(groups: list[str], uids: list[str]) -> str:
    """The server's own words, a Go struct in them."""
    quoted = ", ".join(f'"{group}"' for group in groups)
    listed = f"[]string{{{quoted}}}" if groups else "[]string(nil)"
    uid = uids[0] if uids else ""
    return (
        f'requested &user.DefaultInfo{{Name:"", UID:"{uid}", Groups:{listed},'
        " Extra:map[string][]string(nil)} without impersonating a user name"
    )


def _check_constrained(cluster: Cluster, user: User, name: str, wanted: list[Action], asked: Action) -> None:
    """Without the right to impersonate for all purposes: the right to do it for this one action."""
    mode = "user-info"
    if name.startswith("system:serviceaccount:"):
        mode = "serviceaccount"
    elif name.startswith("system:node:"):
        mode = "arbitrary-node"
    purpose = replace(asked, verb=f"impersonate-on:{mode}:{asked.verb}")
    if not cluster.authorizer.allowed(user, purpose)[0]:
        text = cluster.authorizer.refusal(user, purpose)
        if asked.path:
            raise ApiError(403, "Forbidden", f"forbidden: {text}", {})
        raise forbidden(asked.group, asked.resource, asked.name, text)
    for action in wanted:
        narrow = replace(action, verb=f"impersonate:{mode}", group="authentication.k8s.io")
        if not cluster.authorizer.allowed(user, narrow)[0]:
            text = cluster.authorizer.refusal(user, narrow)
            raise forbidden(narrow.group, narrow.resource, narrow.name, text)
