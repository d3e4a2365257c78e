"""azurerm_subnet_network_security_group_association: a property of the subnet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.terraform_provider.errors import ProviderError
from sandbox.terraform_provider.mapping import Field, dig
from sandbox.terraform_provider.resource_id import describe, parent_of, same_id
from sandbox.terraform_provider.resources.base import Context, Resource, Values, deadline
from sandbox.terraform_provider.resources.subnet import API_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping


class SubnetNetworkSecurityGroupAssociation(Resource):
    """Its id is the subnet's; creating and deleting it writes the subnet."""

    type_name = "azurerm_subnet_network_security_group_association"
    title = "Subnet Network Security Group Association"
    api_version = API_VERSION
    parts = (
        Field("subnet_id", force_new=True, equal=same_id),
        Field(
            "network_security_group_id", "properties.networkSecurityGroup.id", force_new=True, equal=same_id
        ),
    )

    def resource_id(self, values: Values, context: Context) -> str:  # noqa: ARG002  # the contract
        return str(values["subnet_id"])

    def lock_name(self, resource_id: str) -> str:
        return parent_of(resource_id)

    def identity(self, resource_id: str) -> Values:
        return {"subnet_id": resource_id}

    def create(self, planned: Values, context: Context) -> Values:
        subnet = self.resource_id(planned, context)
        with self._saying(f"creating {self.title} {describe(subnet)}"):
            with context.locks(self.lock_name(subnet)):
                body = context.arm.get(subnet, self.api_version)
                if dig(body, "properties.networkSecurityGroup.id"):
                    raise ProviderError(
                        f'a resource with the ID "{subnet}" already exists - to be managed via Terraform '
                        "this resource needs to be imported into the State. Please see the resource "
                        f'documentation for "{self.type_name}" for more information'
                    )
                group = {"id": planned["network_security_group_id"]}
                body.setdefault("properties", {})["networkSecurityGroup"] = group
                context.arm.put(subnet, self.api_version, body, deadline(planned, "create"))
            return self._read_back(subnet, planned, context)

    def read(self, state: Values, context: Context) -> Values | None:
        values = super().read(state, context)
        return values if values and values["network_security_group_id"] else None

    def remove(self, resource_id: str, state: Values, context: Context, until: float) -> None:  # noqa: ARG002  # the contract
        body = context.arm.find(resource_id, self.api_version)
        if body is None or not _unlink(body):
            return
        context.arm.put(resource_id, self.api_version, body, until)


def _unlink(body: Mapping[str, Any]) -> bool:
    """Take the security group out of the subnet; whether there was one."""
    return bool(body["properties"].pop("networkSecurityGroup", None))
