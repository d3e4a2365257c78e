"""Make the state backend of an environment, in the order in which Azure allows it."""

from __future__ import annotations

import time
from collections.abc import Callable

from gpuplatform.azure.clients import AzureClients
from gpuplatform.azure.identity import object_id
from gpuplatform.environments import Environment
from gpuplatform.errors import Conflict, DeadlineExceeded, InvalidInput, NotFound, Refused, Retryable
from gpuplatform.ids import ObjectId
from gpuplatform.statebackend import rules
from gpuplatform.statebackend.client import LOCK_NAME, StateBackendClient
from gpuplatform.statebackend.report import BootstrapReport, Step, StepStatus

__all__ = ["bootstrap_state_backend"]

_LONGEST_PAUSE_SECONDS = 15.0


def bootstrap_state_backend(
    clients: AzureClients, environment: Environment, report: Callable[[str], None]
) -> BootstrapReport:
    """Resource group, hardened account, containers, our role, a data plane that answers, the lock.

    What is there is kept; settings that drifted are repaired. The lock comes last, because a half-made
    account must be deletable.

    Raises:
        InvalidInput: the account's name is taken.
        DeadlineExceeded: our role did not work on the data plane in time.
        PlatformError: Azure refused a step.
    """
    client = StateBackendClient(clients, environment)
    steps: list[Step] = []

    def done(what: str, name: str, status: StepStatus, detail: str = "") -> None:
        steps.append(Step(what, name, status, detail))
        if status is not StepStatus.FOUND:
            report(f"{what} {name}: {status}{f' ({detail})' if detail else ''}")

    if client.get_group():
        done("resource group", client.group, StepStatus.FOUND)
    else:
        client.create_group()
        done("resource group", client.group, StepStatus.CREATED)
    done("storage account", client.account, *_account(client, environment, clients.subscription_id))
    done(
        "versioning and soft delete",
        client.account,
        *_recovery(client, clients.settings.state_retention_days),
    )

    spec = environment.state
    containers = (spec.container, spec.records_container)
    existing = client.list_containers()
    for container in containers:
        if container not in existing:
            client.create_container(container)
        done("container", container, StepStatus.FOUND if container in existing else StepStatus.CREATED)

    principal = object_id(clients.credential)
    for container in containers:
        done("role Storage Blob Data Contributor", container, _role(client, container, principal))
    _await_data_plane(client, containers, clients.settings.data_plane_timeout_seconds, report)

    if client.has_lock():
        done("lock CanNotDelete", client.account, StepStatus.FOUND)
    else:
        client.create_lock()
        done("lock CanNotDelete", client.account, StepStatus.CREATED, LOCK_NAME)
    return BootstrapReport(environment.name.value, client.group, client.account, tuple(steps))


def _account(
    client: StateBackendClient, environment: Environment, subscription_id: str
) -> tuple[StepStatus, str]:
    found = client.get_account()
    if found is None:
        try:
            client.create_account()
        except Conflict as error:
            if "AlreadyTaken" not in str(error) and "AlreadyExists" not in str(error):
                raise
            proposal = rules.proposed_name(client.account, subscription_id)
            raise InvalidInput(
                f"the storage account name {client.account!r} is taken by somebody else in Azure:"
                f" set state.account of {environment.name.value} in policy/environments.yaml, for example"
                f" to {proposal!r}"
            ) from error
        return StepStatus.CREATED, environment.state.sku
    settings, sku = found
    note = "" if sku == environment.state.sku else f"SKU is {sku}, {environment.state.sku} is asked for"
    differences = rules.account_differences(settings)
    if not differences:
        return StepStatus.FOUND, note
    client.repair_account()
    return StepStatus.REPAIRED, "; ".join([*map(str, differences), *([note] if note else [])])


def _recovery(client: StateBackendClient, days: int) -> tuple[StepStatus, str]:
    actual = client.get_recovery()
    differences = rules.recovery_differences(actual, days)
    if not differences:
        return StepStatus.FOUND, ""
    client.set_recovery(
        rules.RecoverySettings(True, max(actual.blob_days, days), max(actual.container_days, days))
    )
    fresh = not actual.versioning and not actual.blob_days and not actual.container_days
    return (StepStatus.CREATED if fresh else StepStatus.REPAIRED), "; ".join(map(str, differences))


def _role(client: StateBackendClient, container: str, principal: ObjectId) -> StepStatus:
    scope = client.container_id(container)
    if rules.has_role(client.list_assignments(scope, principal), scope):
        return StepStatus.FOUND
    return StepStatus.CREATED if client.create_assignment(scope, principal) else StepStatus.FOUND


def _await_data_plane(
    client: StateBackendClient,
    containers: tuple[str, ...],
    timeout: float,
    report: Callable[[str], None],
) -> None:
    """A new role assignment is reported ready minutes before it works: 403 until then, 404 for a new name."""
    deadline = time.monotonic() + timeout
    pause, told = 1.0, False
    for container in containers:
        while True:
            try:
                client.touch_container(container)
                break
            except (Refused, NotFound, Retryable) as error:
                if time.monotonic() + pause > deadline:
                    raise DeadlineExceeded(
                        f"the container {container} did not answer us within {timeout:g} s: {error}"
                    ) from error
            if not told:
                report(f"waiting until our role works on {client.account}")
                told = True
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)
