"""azurerm_resource_group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.terraform_provider.errors import ProviderError
from sandbox.terraform_provider.mapping import Field, to_arm
from sandbox.terraform_provider.resource_id import name_of
from sandbox.terraform_provider.resources.base import Change, Context, Resource, Values
from sandbox.terraform_provider.resources.common import LOCATION, NAME, TAGS

if TYPE_CHECKING:
    from typing import Any


class ResourceGroup(Resource):
    """Refuses to delete a group that still holds something, unless the provider's features say so."""

    type_name = "azurerm_resource_group"
    title = "Resource Group"
    api_version = "2023-07-01"
    parts = (NAME, LOCATION, TAGS, Field("managed_by", "managedBy"))

    def resource_id(self, values: Values, context: Context) -> str:
        return f"{context.subscription}/resourceGroups/{values['name']}"

    def identity(self, resource_id: str) -> Values:
        return {"name": name_of(resource_id)}

    def put_changes(self, change: Change, context: Context) -> None:
        body = to_arm(change.parts, change.planned, {})
        context.arm.patch(change.resource_id, self.api_version, body, change.until)

    def remove(self, resource_id: str, state: Values, context: Context, until: float) -> None:
        if _guarded(context.features):
            query = {"$expand": "provisioningState", "$top": "10"}
            left = context.arm.get(f"{resource_id}/resources", self.api_version, **query).get("value") or []
            if left:
                listed = "\n".join(f"* `{entry['id']}`" for entry in left)
                raise ProviderError(
                    f"the Resource Group still contains Resources.\n\nTerraform is configured to check for "
                    "Resources within the Resource Group when deleting the Resource Group - and raise an "
                    "error if nested Resources still exist to avoid unintentionally deleting these "
                    f"Resources.\n\nTerraform has detected that the following Resources still exist within "
                    f"the Resource Group:\n\n{listed}"
                )
        super().remove(resource_id, state, context, until)


def _guarded(features: Any) -> bool:
    blocks = (features.get("resource_group") or []) if features else []
    chosen = blocks[0].get("prevent_deletion_if_contains_resources") if blocks else None
    return chosen is not False
