"""azurerm_virtual_machine_extension."""

from __future__ import annotations

import json
from typing import Any

from sandbox.terraform_provider.mapping import Field, to_arm
from sandbox.terraform_provider.resource_id import name_of, parent_of, same_id
from sandbox.terraform_provider.resources.base import Change, Context, Resource, Values
from sandbox.terraform_provider.resources.common import TAGS


def _same_json(one: Any, other: Any) -> bool:
    try:
        return bool(json.loads(one) == json.loads(other))
    except (TypeError, ValueError):
        return False


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


class VirtualMachineExtension(Resource):
    """Lives in its machine's region; protected settings are written and never read."""

    type_name = "azurerm_virtual_machine_extension"
    title = "Virtual Machine Extension"
    api_version = "2024-03-01"
    parts = (
        Field("name", force_new=True),
        Field("virtual_machine_id", force_new=True, equal=same_id),
        Field("publisher", "properties.publisher", force_new=True),
        Field("type", "properties.type", force_new=True),
        Field("type_handler_version", "properties.typeHandlerVersion"),
        Field("auto_upgrade_minor_version", "properties.autoUpgradeMinorVersion", empty=False),
        Field("automatic_upgrade_enabled", "properties.enableAutomaticUpgrade", empty=False),
        Field("failure_suppression_enabled", "properties.suppressFailures", empty=False),
        Field("settings", "properties.settings", write=json.loads, read=_text, equal=_same_json),
        Field("protected_settings"),
        Field("provision_after_extensions", "properties.provisionAfterExtensions"),
        TAGS,
    )

    def resource_id(self, values: Values, context: Context) -> str:  # noqa: ARG002  # the contract
        return f"{values['virtual_machine_id']}/extensions/{values['name']}"

    def lock_name(self, resource_id: str) -> str:
        return parent_of(resource_id)

    def identity(self, resource_id: str) -> Values:
        return {"name": name_of(resource_id), "virtual_machine_id": parent_of(resource_id)}

    def put_new(self, resource_id: str, planned: Values, context: Context, until: float) -> None:
        machine = context.arm.get(parent_of(resource_id), self.api_version)
        body = self._body(planned, machine["location"])
        context.arm.put(resource_id, self.api_version, body, until)

    def put_changes(self, change: Change, context: Context) -> None:
        """Send it whole, as azurerm does."""
        self.put_new(change.resource_id, change.planned, context, change.until)

    def _body(self, planned: Values, region: str) -> dict[str, Any]:
        body: dict[str, Any] = to_arm(self.parts, planned, {"location": region})
        protected = planned.get("protected_settings")
        if protected:
            body["properties"]["protectedSettings"] = json.loads(protected)
        return body
