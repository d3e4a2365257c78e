"""The built-in roles, read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError
from sandbox.arm.filters import clauses, equals
from sandbox.arm.messages import ArmRequest, Reply
from sandbox.arm.rbac import Role, roles_by_guid
from sandbox.arm.routes import Route

if TYPE_CHECKING:
    from sandbox.arm.context import Context

VERSIONS = (
    "2015-06-01", "2015-07-01", "2018-01-01-preview", "2018-07-01", "2022-04-01", "2022-05-01-preview",
)  # fmt: skip


def _shown(role: Role, scope: str) -> dict[str, Any]:
    prefix = "/".join(scope.split("/")[:3]) if scope.lower().startswith("/subscriptions/") else ""
    return {
        "id": f"{prefix}/providers/Microsoft.Authorization/roleDefinitions/{role.guid}",
        "name": role.guid,
        "type": "Microsoft.Authorization/roleDefinitions",
        "properties": {
            "roleName": role.name,
            "type": "BuiltInRole",
            "description": role.description,
            "assignableScopes": ["/"],
            "permissions": [
                {
                    "actions": list(role.actions),
                    "notActions": list(role.not_actions),
                    "dataActions": list(role.data_actions),
                    "notDataActions": list(role.not_data_actions),
                }
            ],
        },
    }


async def list_definitions(ctx: Context, request: ArmRequest) -> Reply:  # noqa: ARG001  # a handler's signature
    rows = list(roles_by_guid().values())
    for clause in clauses(request.query.get("$filter", "atScopeAndBelow()")):
        if clause.lower() in {"atscopeandbelow()", "atscope()"}:
            continue
        name, value = equals(clause)
        if name == "rolename":
            rows = [role for role in rows if role.name.lower() == value.lower()]
        elif name == "type":
            rows = rows if value.lower() == "builtinrole" else []
        else:
            raise ArmError(400, "InvalidFilter", f"The filter '{clause}' is not supported.")
    scope = "/" + request.parameters["scope"]
    return Reply(200, {"value": [_shown(role, scope) for role in rows]})


async def get_definition(ctx: Context, request: ArmRequest) -> Reply:  # noqa: ARG001  # a handler's signature
    guid = request.parameters["guid"].lower()
    role = roles_by_guid().get(guid)
    if role is None:
        raise ArmError(
            404,
            "RoleDefinitionDoesNotExist",
            f"The specified role definition with ID '{guid.replace('-', '')}' does not exist.",
        )
    return Reply(200, _shown(role, "/" + request.parameters["scope"]))


ROUTES = [
    Route("GET", "/{scope*}providers/Microsoft.Authorization/roleDefinitions", list_definitions, VERSIONS),
    Route(
        "GET", "/{scope*}providers/Microsoft.Authorization/roleDefinitions/{guid}", get_definition, VERSIONS
    ),
]
