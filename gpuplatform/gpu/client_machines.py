"""Evidence from virtual machines: the instance view and one short query by Run Command."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpuplatform.azure.errors import azure_errors
from gpuplatform.azure.values import plain
from gpuplatform.errors import DeadlineExceeded, PlatformError
from gpuplatform.gpu.catalog import Catalog
from gpuplatform.gpu.extension import ExtensionState, ExtensionStatus, is_driver_extension, parse_statuses
from gpuplatform.gpu.machine import MachineEvidence
from gpuplatform.gpu.runcommand import CommandOutput, parse_message
from gpuplatform.gpu.smi import QUERY_FIELDS

if TYPE_CHECKING:
    from gpuplatform.azure.clients import AzureClients

__all__ = ["Machine", "collect_machine", "list_gpu_machines"]

_FIELDS, _FORMAT = f"--query-gpu={','.join(QUERY_FIELDS)}", "--format=csv,noheader,nounits"
LINUX_SCRIPT = [f"nvidia-smi {_FIELDS} {_FORMAT}; echo rc=$?", "dmesg | grep -i xid | tail -n 5"]
"""Short on purpose: Run Command keeps the last 4,096 bytes of what is printed."""
WINDOWS_SCRIPT = [f'& nvidia-smi "{_FIELDS}" "{_FORMAT}"; "rc=$LASTEXITCODE"']
"""Quoted, because PowerShell takes a comma for the end of an element."""


@dataclass(frozen=True)
class Machine:
    """A virtual machine whose size has GPUs."""

    name: str
    sku: str
    windows: bool


def list_gpu_machines(clients: AzureClients, resource_group: str, catalog: Catalog) -> tuple[Machine, ...]:
    """The machines of a resource group whose size is in the catalogue, or of the N-series at least."""
    found = []
    with azure_errors(f"listing the virtual machines of {resource_group}"):
        for vm in clients.compute.virtual_machines.list(resource_group):
            size = plain(vm.hardware_profile and vm.hardware_profile.vm_size)
            if catalog.sku(size) or catalog.may_be_gpu_sku(size):
                disk = vm.storage_profile and vm.storage_profile.os_disk
                found.append(Machine(str(vm.name), size, plain(disk and disk.os_type).lower() == "windows"))
    return tuple(found)


def collect_machine(
    clients: AzureClients, resource_group: str, machine: Machine, report: Callable[[str], None]
) -> MachineEvidence:
    """What can be learned about one machine; what cannot is a gap in the evidence, not an error.

    Waits while the driver extension is in transition, at most `Settings.driver_timeout_seconds`.
    """
    try:
        evidence = _wait_for_extension(clients, resource_group, machine, report)
    except PlatformError as error:
        return MachineEvidence(machine.name, machine.sku, gaps=(str(error),))
    if evidence.running is False or (evidence.extension and not evidence.extension.settled):
        # Run Command is an extension itself: it would queue behind the one that does not end.
        return evidence
    try:
        return replace(evidence, output=_query(clients, resource_group, machine))
    except PlatformError as error:
        return replace(evidence, gaps=(*evidence.gaps, str(error)))


def _wait_for_extension(
    clients: AzureClients, resource_group: str, machine: Machine, report: Callable[[str], None]
) -> MachineEvidence:
    limits = clients.settings
    deadline = time.monotonic() + limits.driver_timeout_seconds
    told = False
    while True:
        evidence = _look(clients, resource_group, machine)
        waiting = evidence.running is not False and evidence.extension and not evidence.extension.settled
        if not waiting:
            return evidence
        if time.monotonic() >= deadline:
            gap = f"the driver extension did not finish within {limits.driver_timeout_seconds:g} s"
            return replace(evidence, gaps=(gap,))
        if not told:
            report(f"{machine.name}: waiting for the driver extension")
            told = True
        time.sleep(min(limits.polling_interval_seconds, max(0.0, deadline - time.monotonic())))


def _look(clients: AzureClients, resource_group: str, machine: Machine) -> MachineEvidence:
    with azure_errors(f"reading the instance view of {machine.name}"):
        vm = clients.compute.virtual_machines.get(resource_group, machine.name, expand="instanceView")
    view = vm.instance_view
    power = _power(view)
    agent = view.vm_agent if view else None
    codes = [str(status.code) for status in (agent.statuses if agent else None) or []]
    return MachineEvidence(
        machine.name,
        machine.sku,
        running=None if power is None else power in {"running", "starting"},
        agent_ready=any(code.lower() == "provisioningstate/succeeded" for code in codes) if codes else None,
        extension=_extension(vm, view),
    )


def _power(view: Any) -> str | None:
    for status in (view.statuses if view else None) or []:
        kind, _, state = str(status.code or "").partition("/")
        if kind == "PowerState":
            return state.lower()
    return None


def _extension(vm: Any, view: Any) -> ExtensionState | None:
    for item in (view.extensions if view else None) or []:
        if is_driver_extension(item.type, item.name):
            pairs = [(status.code, status.message) for status in item.statuses or []]
            return parse_statuses(pairs, item.type_handler_version or "")
    for resource in vm.resources or []:
        # `resource.type` is the resource type; the extension's own is a property of the same name.
        kind = (resource.get("properties") or {}).get("type")
        if is_driver_extension(kind, resource.name):
            # Azure knows the extension, but the agent has not reported it yet.
            return ExtensionState(ExtensionStatus.NO_STATUS)
    return None


def _query(clients: AzureClients, resource_group: str, machine: Machine) -> CommandOutput:
    from azure.mgmt.compute.models import RunCommandInput  # noqa: PLC0415 - the SDK is slow to import

    seconds = clients.settings.run_command_timeout_seconds
    activity = f"asking nvidia-smi on {machine.name}"
    command = RunCommandInput(
        command_id="RunPowerShellScript" if machine.windows else "RunShellScript",
        script=WINDOWS_SCRIPT if machine.windows else LINUX_SCRIPT,
    )
    with azure_errors(activity):
        poller = clients.compute.virtual_machines.begin_run_command(resource_group, machine.name, command)
        poller.wait(seconds)
        if not poller.done():  # result(timeout) would answer as if it were
            raise DeadlineExceeded(f"{activity}: no answer within {seconds:g} s")
        result = poller.result()
    messages = [str(item.message) for item in result.value or [] if item.message]
    if not messages:
        raise PlatformError(f"{activity}: Azure answered without output")
    return parse_message("\n".join(messages))
