"""Azure RBAC: built-in roles and what the role assignments in the store allow."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from sandbox.arm.catalog import load_data
from sandbox.arm.errors import authorization_failed
from sandbox.arm.ids import below

if TYPE_CHECKING:
    from sandbox.arm.store import Resource, Store
    from sandbox.entra.tokens import Principal

__all__ = ["ASSIGNMENTS", "OWNER", "Role", "Roles", "assignment_id", "role_id", "roles_by_guid"]

ASSIGNMENTS = "Microsoft.Authorization/roleAssignments"
OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"


@dataclass(frozen=True)
class Role:
    guid: str
    name: str
    description: str
    actions: tuple[str, ...]
    not_actions: tuple[str, ...]
    data_actions: tuple[str, ...]
    not_data_actions: tuple[str, ...]

    def allows(self, action: str, data: bool) -> bool:
        granted, denied = (
            (self.data_actions, self.not_data_actions) if data else (self.actions, self.not_actions)
        )
        return _any_match(action, granted) and not _any_match(action, denied)


def _any_match(action: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(action.lower(), pattern.lower()) for pattern in patterns)


def roles_by_guid() -> dict[str, Role]:
    """The built-in roles the sandbox knows; ids and permissions are Azure's own."""
    return {
        row["id"]: Role(
            guid=row["id"],
            name=row["roleName"],
            description=row["description"],
            actions=tuple(row["actions"]),
            not_actions=tuple(row["notActions"]),
            data_actions=tuple(row["dataActions"]),
            not_data_actions=tuple(row["notDataActions"]),
        )
        for row in load_data("role_definitions.json")["roles"]
    }


def role_id(subscription: str, guid: str) -> str:
    return f"/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/{guid}"


def assignment_id(scope: str, name: str) -> str:
    return f"{scope.rstrip('/')}/providers/{ASSIGNMENTS}/{name}"


class Roles:
    """Answers 'may this principal do that there' from the stored role assignments."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._roles = roles_by_guid()

    def seed_owner(self, subscription: str, object_id: str, created: str) -> Resource:
        """Make the service principal Owner of its subscription, once."""
        name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{subscription}/{object_id}/owner"))
        scope = f"/subscriptions/{subscription}"
        properties: dict[str, Any] = {
            "roleDefinitionId": role_id(subscription, OWNER),
            "principalId": object_id,
            "principalType": "ServicePrincipal",
            "scope": scope,
            "createdOn": created,
            "updatedOn": created,
        }
        resource = {
            "id": assignment_id(scope, name),
            "name": name,
            "type": ASSIGNMENTS,
            "properties": properties,
        }
        self._store.put(resource)
        return resource

    def names(self, principal_ids: Iterable[str], scope: str) -> set[str]:
        """Names of the roles these principals hold at a scope, inherited ones included."""
        return {role.name for role in self._held(principal_ids, scope)}

    def allowed(self, principal_ids: Iterable[str], action: str, scope: str, *, data: bool = False) -> bool:
        return any(role.allows(action, data) for role in self._held(principal_ids, scope))

    def require(self, principal: Principal, action: str, scope: str) -> None:
        """Raise 403 AuthorizationFailed unless an assignment allows the action.

        Raises:
            ArmError: 403, naming the action and the scope.
        """
        if not self.allowed((principal.object_id, *principal.groups), action, scope):
            raise authorization_failed(principal.client_id, principal.object_id, action, scope)

    def visible(self, principal: Principal, scope: str) -> bool:
        """Whether the principal has any role at the scope or inside it, as ARM's lists ask."""
        ids = {principal.object_id.lower(), *(group.lower() for group in principal.groups)}
        return any(
            row["properties"]["principalId"].lower() in ids
            and (below(row["properties"]["scope"], scope) or below(scope, row["properties"]["scope"]))
            for row in self._store.all(ASSIGNMENTS)
        )

    def _held(self, principal_ids: Iterable[str], scope: str) -> Iterable[Role]:
        ids = {principal_id.lower() for principal_id in principal_ids}
        for row in self._store.all(ASSIGNMENTS):
            properties = row["properties"]
            if properties["principalId"].lower() in ids and below(scope, properties["scope"]):
                role = self._roles.get(properties["roleDefinitionId"].rsplit("/", 1)[-1].lower())
                if role is not None:
                    yield role
