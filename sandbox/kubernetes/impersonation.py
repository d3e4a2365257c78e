"""Impersonate-* headers: acting as someone else, where RBAC allows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.kubernetes.authorization import Action
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import ApiError, forbidden
from sandbox.kubernetes.request import User

__all__ = ["impersonate"]


def _all(headers: Mapping[str, Any], name: str) -> list[str]:
    get_all = getattr(headers, "getall", None)
    if get_all is not None:
        return [str(value) for value in get_all(name, [])]
    value = headers.get(name)
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [str(value)]


def impersonate(cluster: Cluster, user: User, headers: Mapping[str, Any]) -> User:
    """The user the request acts as. Raises ApiError (403, or 500 for groups without a user)."""
    names, groups = _all(headers, "Impersonate-User"), _all(headers, "Impersonate-Group")
    extra = [key for key in headers if key.lower().startswith("impersonate-extra-")]
    uids = _all(headers, "Impersonate-Uid")
    if not names:
        if groups or extra or uids:
            text = f"requested {_quoted([*groups])} without impersonating a user"
            raise ApiError(
                500, "InternalError", f"Internal error occurred: {text}", {"causes": [{"message": text}]}
            )
        return user
    name = names[0]
    wanted = [_subject(name)]
    wanted += [Action("impersonate", "", "groups", name=group) for group in groups]
    wanted += [Action("impersonate", "authentication.k8s.io", "uids", name=uid) for uid in uids]
    for action in wanted:
        if not cluster.authorizer.allowed(user, action)[0]:
            raise forbidden(
                action.group, action.resource, action.name, cluster.authorizer.refusal(user, action)
            )
    if name == "system:anonymous":
        return User(name, tuple(groups) or ("system:unauthenticated",))
    if not groups and name.startswith("system:serviceaccount:"):
        namespace = name.split(":")[2]
        groups = ["system:serviceaccounts", f"system:serviceaccounts:{namespace}"]
    if "system:authenticated" not in groups and "system:unauthenticated" not in groups:
        groups = [*groups, "system:authenticated"]
    return User(name, tuple(groups), uids[0] if uids else "")


def _subject(name: str) -> Action:
    if name.startswith("system:serviceaccount:") and name.count(":") == 3:
        _, _, namespace, account = name.split(":")
        return Action("impersonate", "", "serviceaccounts", namespace=namespace, name=account)
    return Action("impersonate", "", "users", name=name)


def _quoted(items: list[str]) -> str:
    return "[" + " ".join(f'"{item}"' for item in items) + "]"
