"""VM extensions, above all the NVIDIA driver, which only a machine with an NVIDIA GPU can install."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.catalog import load_data
from sandbox.arm.errors import ArmError
from sandbox.arm.resource import Change, ResourceType
from sandbox.arm.types.instance_view import EXTENSION, extension_view, power_state

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource

_DRIVERS = {"NvidiaGpuDriverLinux", "NvidiaGpuDriverWindows"}


class VmExtensions(ResourceType):
    name = EXTENSION
    error_code = "InvalidParameter"
    creating = (("Creating", 0.15), ("Updating", 0.25))
    updating = (("Updating", 0.2),)
    deleting = (("Deleting", 0.1),)
    system_data = True

    def prepare(self, ctx: Context, change: Change) -> None:
        machine = _machine(ctx, change.id)
        if change.body["location"] != machine["location"]:
            raise ArmError(
                400,
                "InvalidParameter",
                f"The location of extension '{change.name}' must be '{machine['location']}', that of its VM.",
                target="location",
            )
        if power_state(ctx, machine) != "running":
            raise ArmError(
                409,
                "OperationNotAllowed",
                "Cannot modify extensions in the VM when the VM is not running.",
            )
        properties = change.properties
        publisher, kind = str(properties.get("publisher", "")), str(properties.get("type", ""))
        self._require_known(
            publisher, kind, str(properties.get("typeHandlerVersion", "")), change.body["location"]
        )
        for other in ctx.store.children(machine["id"], "extensions"):
            same = (other["properties"]["publisher"], other["properties"]["type"]) == (publisher, kind)
            if same and other["id"].lower() != change.id.lower():
                raise ArmError(
                    400,
                    "BadRequest",
                    f"Multiple VMExtensions per handler not supported for OS type 'Linux'. VMExtension "
                    f"'{change.name}' with handler '{publisher}.{kind}' already added or specified in input.",
                )
        properties.setdefault("autoUpgradeMinorVersion", True)
        properties.pop("protectedSettings", None)  # write-only in Azure

    def _require_known(self, publisher: str, kind: str, version: str, location: str) -> None:
        rows = load_data("vm_extensions.json")["extensions"]
        known = next((r for r in rows if (r["publisher"], r["type"]) == (publisher, kind)), None)
        if known is None:
            raise ArmError(
                404,
                "ArtifactNotFound",
                f"The VM extension with publisher '{publisher}' and type '{kind}' could not be found in "
                "location "
                f"'{location}'.",
            )
        if _numbers(version)[:1] != _numbers(known["newest"])[:1] or _numbers(version) > _numbers(
            known["newest"]
        ):
            raise ArmError(
                404,
                "ArtifactVersionNotFound",
                "No version found in the artifact repository that satisfies the requested version "
                f"'{version}' for "
                f"VM extension with publisher '{publisher}' and type '{kind}'.",
            )

    async def provisioned(self, ctx: Context, resource: Resource) -> None:
        """The driver's installer fails where there is no NVIDIA device."""
        properties = resource["properties"]
        if properties["type"] not in _DRIVERS:
            return
        machine = _machine(ctx, resource["id"])
        size = ctx.catalog.size(machine["properties"]["hardwareProfile"]["vmSize"])
        if size is None or size.nvidia_gpus == 0:
            raise ArmError(
                409,
                "VMExtensionProvisioningError",
                f"VM has reported a failure when processing extension '{resource['name']}' (publisher "
                f"'{properties['publisher']}' and type '{properties['type']}'). Error message: 'Installation "
                "failed. "
                "Exit code 0'. More information on troubleshooting is available at "
                "https://aka.ms/VMExtensionNvidiaGpuDriverLinuxTroubleshoot.",
            )

    def view(self, ctx: Context, resource: Resource, *, expand: str, listing: bool) -> Resource:  # noqa: ARG002  # the base's signature
        if "instanceview" not in expand:
            return resource
        properties = {**resource["properties"], "instanceView": extension_view(resource)}
        return {**resource, "properties": properties}


def _machine(ctx: Context, extension_id: str) -> Resource:
    machine = ctx.store.get(extension_id.rsplit("/", 2)[0])
    if machine is None:
        raise ArmError(
            404,
            "ParentResourceNotFound",
            f"The virtual machine of extension '{extension_id}' could not be found.",
        )
    return machine


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))[:2]
