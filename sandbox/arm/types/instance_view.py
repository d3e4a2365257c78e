"""A VM's instance view: power state, agent, extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.catalog import load_data

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource

__all__ = ["EXTENSION", "POWER", "extension_view", "instance_view", "power_state"]

EXTENSION = "Microsoft.Compute/virtualMachines/extensions"
POWER = "arm.power"  # state table: lower-cased VM id → running | stopped | deallocated
_LEVELS = {"succeeded": "Info", "failed": "Error"}


def power_state(ctx: Context, machine: Resource) -> str:
    return str(ctx.state.table(POWER).get(machine["id"].lower(), "running"))


def extension_view(extension: Resource) -> dict[str, Any]:
    """How the VM agent reports an extension; `statuses` is null until it has heard of it."""
    properties = extension["properties"]
    state = properties.get("provisioningState", "Succeeded")
    view: dict[str, Any] = {
        "name": extension["name"],
        "type": f"{properties['publisher']}.{properties['type']}",
        "typeHandlerVersion": handler_version(properties),
        "substatuses": None,
        "statuses": None,
    }
    if state == "Creating":
        return view
    reported = {"Succeeded": "succeeded", "Failed": "failed/14"}.get(state, "transitioning")
    short = reported.split("/", maxsplit=1)[0]
    display = {"succeeded": "Provisioning succeeded", "failed": "Provisioning failed"}.get(
        short, "Transitioning"
    )
    message = {"succeeded": "Enable succeeded.", "failed": "Installation failed. Exit code 0"}.get(
        short, "Installing"
    )
    view["statuses"] = [
        {
            "code": f"ProvisioningState/{reported}",
            "level": _LEVELS.get(short, "Info"),
            "displayStatus": display,
            "message": message,
            "time": None,
        }
    ]
    return view


def handler_version(properties: dict[str, Any]) -> str:
    """The full handler version that `typeHandlerVersion` resolves to."""
    for row in load_data("vm_extensions.json")["extensions"]:
        if row["type"] == properties["type"]:
            wanted = str(properties.get("typeHandlerVersion", row["newest"]))
            return f"{row['newest'] if properties.get('autoUpgradeMinorVersion') else wanted}.0.0"
    return str(properties.get("typeHandlerVersion", "1.0"))


def instance_view(ctx: Context, machine: Resource) -> dict[str, Any]:
    """A machine that is not running has no agent that could report its extensions."""
    power = power_state(ctx, machine)
    state = machine["properties"].get("provisioningState", "Succeeded")
    running = power == "running" and state != "Creating"
    view: dict[str, Any] = {
        "vmAgent": _agent(running=running),
        "disks": [
            {
                "name": machine["properties"]["storageProfile"]["osDisk"]["name"],
                "statuses": [_status(f"ProvisioningState/{state.lower()}", "Provisioning succeeded")],
            }
        ],
        "hyperVGeneration": "V2",
        "statuses": [
            _status(f"ProvisioningState/{state.lower()}", f"Provisioning {state.lower()}"),
            _status(f"PowerState/{power}", f"VM {power}"),
        ],
    }
    if running:
        view["computerName"] = machine["properties"]["osProfile"]["computerName"]
        view["osName"], view["osVersion"] = "ubuntu", "22.04"
        extensions = ctx.store.children(machine["id"], "extensions")
        view["extensions"] = [extension_view(extension) for extension in extensions]
    return view


def _agent(*, running: bool) -> dict[str, Any]:
    if running:
        status = _status("ProvisioningState/succeeded", "Ready")
        return {"vmAgentVersion": "2.14.0.1", "statuses": [{**status, "message": "Guest Agent is running"}]}
    status = {
        "code": "ProvisioningState/Unavailable",
        "level": "Warning",
        "displayStatus": "Not Ready",
        "message": "VM status blob is found but not yet populated.",
        "time": None,
    }
    return {"vmAgentVersion": "Unknown", "statuses": [status]}


def _status(code: str, display: str) -> dict[str, Any]:
    return {"code": code, "level": "Info", "displayStatus": display, "time": None}
