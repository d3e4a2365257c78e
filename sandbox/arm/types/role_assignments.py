"""Role assignments at any scope; what they allow is decided in `sandbox/arm/rbac.py`."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError
from sandbox.arm.filters import clauses, equals
from sandbox.arm.ids import below, subscription_of
from sandbox.arm.operations import now
from sandbox.arm.rbac import ASSIGNMENTS, role_id, roles_by_guid
from sandbox.arm.resource import Change, ResourceType

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.messages import ArmRequest
    from sandbox.arm.store import Resource

_ASSIGNED_TO = re.compile(r"assignedTo\('([^']+)'\)", re.IGNORECASE)


class RoleAssignments(ResourceType):
    name = ASSIGNMENTS
    methods = frozenset({"GET", "PUT", "DELETE", "LIST"})
    located = False
    deleted = 200
    polls = False
    has_state = False

    def prepare(self, ctx: Context, change: Change) -> None:
        scope = _scope(change.id)
        self._require_scope(ctx, scope)
        properties = change.properties
        guid = str(properties.get("roleDefinitionId", "")).rsplit("/", 1)[-1].lower()
        if guid not in roles_by_guid():
            raise ArmError(
                404,
                "RoleDefinitionDoesNotExist",
                f"The specified role definition with ID '{guid.replace('-', '')}' does not exist.",
            )
        principal = str(properties.get("principalId", ""))
        if not _is_guid(principal):
            raise ArmError(
                400, "InvalidPrincipalId", "A valid principal ID must be provided for role assignment."
            )
        if not _is_guid(change.name):
            raise ArmError(
                400,
                "InvalidRoleAssignmentId",
                f"The role assignment ID '{change.name}' is not valid. The role assignment ID must be a "
                "GUID.",
            )
        self._require_new(ctx, change, scope, principal, guid)
        created = change.old_properties
        who = change.request.principal.object_id
        properties.update(
            {
                "roleDefinitionId": role_id(subscription_of(change.id), guid),
                "principalType": properties.get("principalType") or _principal_type(ctx, principal),
                "scope": scope,
                "createdOn": created.get("createdOn", now()),
                "updatedOn": now(),
                "createdBy": created.get("createdBy", who),
                "updatedBy": who,
            }
        )

    def _require_scope(self, ctx: Context, scope: str) -> None:
        """The scope must exist; a namespace of a cluster counts as the cluster."""
        if scope.count("/") == 2 or scope in ctx.store:
            return
        parent = scope.rsplit("/", 2)[0]
        if scope.lower().rsplit("/", 2)[1] == "namespaces" and parent in ctx.store:
            return
        raise ArmError(404, "ResourceNotFound", f"The scope '{scope}' of the role assignment was not found.")

    def _require_new(self, ctx: Context, change: Change, scope: str, principal: str, guid: str) -> None:
        for other in ctx.store.all(ASSIGNMENTS):
            properties = other["properties"]
            same = (
                properties["scope"].lower() == scope.lower()
                and properties["principalId"].lower() == principal.lower()
                and properties["roleDefinitionId"].lower().endswith(guid)
            )
            if same and other["id"].lower() != change.id.lower():
                raise ArmError(
                    409,
                    "RoleAssignmentExists",
                    "The role assignment already exists. The ID of the conflicting role assignment is "
                    f"{other['name'].replace('-', '')}.",
                )
            if not same and other["id"].lower() == change.id.lower():
                raise ArmError(
                    400,
                    "RoleAssignmentUpdateNotPermitted",
                    "Tenant ID, application ID, principal ID, and scope are not allowed to be updated.",
                )

    def listed(self, ctx: Context, scope: str, request: ArmRequest) -> list[Resource]:
        """Assignments at, above and below the scope, narrowed by the filters that clients send."""
        text = request.query.get("$filter")
        at = [
            row
            for row in ctx.store.all(ASSIGNMENTS)
            if below(scope, row["properties"]["scope"]) or below(row["properties"]["scope"], scope)
        ]
        for clause in clauses(text) if text else ():
            at = [row for row in at if _matches(row, scope, clause)]
        return at


def _matches(row: Resource, scope: str, clause: str) -> bool:
    properties: dict[str, Any] = row["properties"]
    if clause.lower() == "atscope()":
        return below(scope, properties["scope"])
    if clause.lower() == "atexactscope()":
        return bool(properties["scope"].lower() == scope.lower())
    assigned = _ASSIGNED_TO.fullmatch(clause)
    if assigned:
        return bool(properties["principalId"].lower() == assigned[1].lower())
    name, value = equals(clause)
    if name != "principalid":
        raise ArmError(400, "InvalidFilter", f"The filter '{clause}' is not supported.")
    return bool(properties["principalId"].lower() == value.lower())


def _scope(assignment: str) -> str:
    return assignment[: assignment.lower().rindex("/providers/microsoft.authorization/roleassignments/")]


def _is_guid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def _principal_type(ctx: Context, principal: str) -> str:
    """Azure asks the directory; here an admin group of a cluster is a group, the rest applications."""
    groups = {
        group.lower()
        for cluster in ctx.store.all("Microsoft.ContainerService/managedClusters")
        for group in cluster["properties"].get("aadProfile", {}).get("adminGroupObjectIDs") or ()
    }
    return "Group" if principal.lower() in groups else "ServicePrincipal"
