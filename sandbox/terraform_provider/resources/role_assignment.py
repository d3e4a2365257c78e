"""azurerm_role_assignment."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from sandbox.terraform_provider.errors import ProviderError
from sandbox.terraform_provider.mapping import Field, dig
from sandbox.terraform_provider.resource_id import name_of, same_id
from sandbox.terraform_provider.resources.base import Context, Resource, Values

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEFINITIONS = "2022-05-01-preview"
_PROVIDER = "/providers/Microsoft.Authorization"


def _same_definition(one: Any, other: Any) -> bool:
    """A role definition may be named with or without a scope."""
    return isinstance(one, str) and isinstance(other, str) and same_id(name_of(one), name_of(other))


class RoleAssignment(Resource):
    """Nothing of it can change: every difference is a replacement."""

    type_name = "azurerm_role_assignment"
    title = "Role Assignment"
    api_version = "2022-04-01"
    parts = (
        Field("name", force_new=True),
        Field("scope", "properties.scope", force_new=True, read_only=True, equal=same_id),
        Field("principal_id", "properties.principalId", force_new=True),
        Field("principal_type", "properties.principalType", force_new=True),
        Field("role_definition_id", "properties.roleDefinitionId", force_new=True, equal=_same_definition),
        Field("role_definition_name", force_new=True),
        Field("condition", "properties.condition", force_new=True),
        Field("condition_version", "properties.conditionVersion", force_new=True),
        Field("description", "properties.description", empty="", force_new=True),
        Field("skip_service_principal_aad_check"),
    )

    def check(self, planned: Values, prior: Values | None) -> None:
        both = ("role_definition_id", "role_definition_name")
        if prior is None and not any(planned.get(name) is not None for name in both):
            raise ProviderError(f"one of `{both[0]},{both[1]}` must be specified")

    def resource_id(self, values: Values, context: Context) -> str:  # noqa: ARG002  # the contract
        name = values.get("name")
        if not isinstance(name, str):
            # azurerm takes a random one; the same assignment has the same name here.
            seed = "|".join(str(values[k]).lower() for k in ("scope", "principal_id", "role_definition_id"))
            name = str(uuid.uuid5(uuid.NAMESPACE_URL, seed))
        return f"{values['scope']}{_PROVIDER}/roleAssignments/{name}"

    def identity(self, resource_id: str) -> Values:
        return {"name": name_of(resource_id)}

    def create(self, planned: Values, context: Context) -> Values:
        role = planned.get("role_definition_name")
        if not isinstance(planned.get("role_definition_id"), str):
            planned = {**planned, "role_definition_id": self._definition(planned["scope"], role, context)}
        return super().create(planned, context)

    def values_of(self, resource_id: str, body: Mapping[str, Any], prior: Values, context: Context) -> Values:
        values = super().values_of(resource_id, body, prior, context)
        definition = (
            f"{context.subscription}{_PROVIDER}/roleDefinitions/{name_of(values['role_definition_id'])}"
        )
        with self._saying(f"loading Role Definition {definition!r}"):
            found = context.arm.get(definition, _DEFINITIONS)
        values["role_definition_name"] = dig(found, "properties.roleName")
        return values

    def _definition(self, scope: str, role: Any, context: Context) -> str:
        path = f"{scope}{_PROVIDER}/roleDefinitions"
        with self._saying("loading Role Definition List"):
            query = {"$filter": f"roleName eq '{role}'"}
            found = context.arm.get(path, _DEFINITIONS, **query).get("value") or []
        if len(found) != 1:
            raise ProviderError(f"loading Role Definition List: could not find role '{role}'")
        return str(found[0]["id"])
