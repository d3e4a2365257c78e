"""`POST virtualMachines/{vm}/runCommand`: one at a time, output cut to its last 4096 bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError
from sandbox.arm.machine.shell import run
from sandbox.arm.machine.state import Machine
from sandbox.arm.messages import Reply
from sandbox.arm.polling import operation_headers
from sandbox.arm.types.instance_view import power_state

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.operations import Operation
    from sandbox.arm.resource import Call
    from sandbox.arm.store import Resource

__all__ = ["finish", "machine_of", "start"]

KEPT_BYTES = 4096
_DRIVER = "NvidiaGpuDriverLinux"


async def start(ctx: Context, call: Call) -> Reply:
    """Accept a script.

    Raises:
        ArmError: 409 while another command runs or the machine does not, 400 for an unknown command.
    """
    vm, body = call.resource, call.request.body()
    if ctx.operations.in_progress(vm["id"], "action:runcommand"):
        raise ArmError(
            409,
            "Conflict",
            "Run command extension execution is in progress. Please wait for completion before invoking a "
            "run command.",
        )
    if power_state(ctx, vm) != "running":
        raise ArmError(
            409, "OperationNotAllowed", "The operation requires the VM to be running (or set to run)."
        )
    if body.get("commandId") != "RunShellScript":
        raise ArmError(
            400,
            "InvalidParameter",
            f"The entity was not found in this Azure location: commandId '{body.get('commandId')}'. The "
            "sandbox runs "
            "RunShellScript.",
            target="commandId",
        )
    script = body.get("script")
    if not isinstance(script, list) or not all(isinstance(line, str) for line in script):
        raise ArmError(
            400, "InvalidParameter", "Parameter 'script' must be a list of strings.", target="script"
        )
    operation = await ctx.operations.start(
        "action:runcommand", vm["id"], vm["location"], (("Running", 0.2),), {"script": script}
    )
    return Reply(202, None, operation_headers(operation, call.request.api_version, location=True))


def finish(ctx: Context, operation: Operation) -> dict[str, Any]:
    """Run the script and put its output into the shape that the agent reports."""
    vm = ctx.store.get(operation["resourceId"])
    if vm is None:
        raise ArmError(404, "ResourceNotFound", f"The VM '{operation['resourceId']}' is gone.")
    counts = ctx.state.table("arm.runCommands")
    number = int(counts.get(vm["id"].lower(), 0)) + 1
    counts[vm["id"].lower()] = number
    path = f"/var/lib/waagent/run-command/download/{number}/script.sh"
    result = run(operation["data"]["script"], machine_of(ctx, vm), path)
    failed = result.code != 0
    head = (
        f"Enable failed: failed to execute command: command terminated with exit status={result.code}\n"
        if failed
        else "Enable succeeded: \n"
    )
    return {
        "value": [
            {
                "code": "ProvisioningState/failed/0" if failed else "ProvisioningState/succeeded",
                "level": "Error" if failed else "Info",
                "displayStatus": "Provisioning failed" if failed else "Provisioning succeeded",
                "message": f"{head}[stdout]\n{_tail(result.stdout)}\n[stderr]\n{_tail(result.stderr)}",
            }
        ]
    }


def machine_of(ctx: Context, vm: Resource) -> Machine:
    """What a script finds inside: GPUs by size, the driver when its extension has succeeded."""
    properties = vm["properties"]
    size = ctx.catalog.size(properties["hardwareProfile"]["vmSize"])
    extensions = ctx.store.children(vm["id"], "extensions")
    installed = any(
        row["properties"]["type"] == _DRIVER and row["properties"].get("provisioningState") == "Succeeded"
        for row in extensions
    )
    uefi = properties.get("securityProfile", {}).get("uefiSettings", {})
    return Machine(
        host=properties["osProfile"]["computerName"],
        gpus=size.nvidia_gpus if size is not None else 0,
        gpu=size.gpu if size is not None else None,
        driver_installed=installed,
        secure_boot=bool(uefi.get("secureBootEnabled")),
        seed=vm["id"],
    )


def _tail(text: str) -> str:
    return text.encode()[-KEPT_BYTES:].decode(errors="replace")
