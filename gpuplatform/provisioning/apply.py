"""Apply exactly the approved plan, once."""

from __future__ import annotations

import os
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from gpuplatform.approval.client import RecordStore, Stored
from gpuplatform.approval.record import RunRecord, RunState
from gpuplatform.approval.rules import Provenance, why_not_applicable
from gpuplatform.approval.transitions import move
from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import Environment
from gpuplatform.errors import DeadlineExceeded, NotFound, PlatformError, Refused, Retryable
from gpuplatform.ids import RunId
from gpuplatform.provisioning.backend import backend_config
from gpuplatform.terraform.configuration import Configuration, code_version
from gpuplatform.terraform.engine import find_engine
from gpuplatform.terraform.plan_file import LOCK_FILE, digest, read_plan_file
from gpuplatform.terraform.runner import Report, Terraform
from gpuplatform.terraform.workspace import Workspace, open_workspace

__all__ = ["apply_approved_plan"]

_INIT_ATTEMPTS = 3
_INIT_PAUSE_SECONDS = 3.0


def apply_approved_plan(
    clients: AzureClients, environment: Environment, run_id: RunId, report: Report
) -> RunRecord:
    """Apply the plan of a run that is `approved`; the record is `applied` afterwards.

    Everything that may be tried again comes before `applying` is written; after it nothing is: a plan
    is consumed once, whatever became of it.

    Raises:
        Refused: the plan may not be applied any more; the record is closed.
        PlatformError: the apply did not succeed; the record says so.
    """
    store = RecordStore(clients, environment)
    stored = store.get(run_id)
    name = environment.name.value
    configuration = Configuration(clients.settings.home, name)
    engine = find_engine(clients.settings)
    _check(store, stored, Provenance(engine.version, code_version(), configuration.digest()))
    with open_workspace(configuration, engine) as workspace:
        _lay_plan(store, stored, workspace)
        terraform = Terraform(
            workspace, clients.settings, name=name, subscription_id=clients.subscription_id, report=report
        )
        _init(terraform, backend_config(environment, clients.subscription_id), report)
        stored = store.save(move(stored.record, RunState.APPLYING, datetime.now(UTC)), stored.etag)
        report(f"applying plan {stored.record.plan_sha256[:12]} to {name}: {stored.record.counts}")
        outputs = _consume(store, stored, terraform, workspace)
    decision = stored.record.decision
    outcome = (
        f"Applied to {name}: {_done(stored.record)}, approved by {decision.approver if decision else '?'}."
    )
    record = move(stored.record, RunState.APPLIED, datetime.now(UTC), outputs=outputs, outcome=outcome)
    return store.save(record, stored.etag).record


def _check(store: RecordStore, stored: Stored, current: Provenance) -> None:
    now = datetime.now(UTC)
    reason = why_not_applicable(stored.record, current, now)
    if reason is None:
        return
    if stored.record.state is RunState.APPROVED:
        state = RunState.EXPIRED if stored.record.expired(now) else RunState.FAILED
        store.save(move(stored.record, state, now, outcome=reason), stored.etag)
    raise Refused(reason)


def _lay_plan(store: RecordStore, stored: Stored, workspace: Workspace) -> None:
    """The plan file into the workspace, if it is the approved one, with the providers it was made with."""
    try:
        content = store.get_plan(stored.record.run_id)
        sha256 = digest(content)
    except NotFound:
        sha256 = ""
    if sha256 != stored.record.plan_sha256:
        reason = (
            "the stored plan is not the approved one (its SHA-256 differs):"
            if sha256
            else "the approved plan is no longer in the state storage:"
        ) + " start a new run, which plans again"
        store.save(move(stored.record, RunState.FAILED, datetime.now(UTC), outcome=reason), stored.etag)
        raise Refused(reason)
    descriptor = os.open(workspace.plan_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    if locks := read_plan_file(content).provider_locks:
        (workspace.directory / LOCK_FILE).write_bytes(locks)


def _init(terraform: Terraform, config: dict[str, str], report: Report) -> None:
    for attempt in range(1, _INIT_ATTEMPTS + 1):
        try:
            return terraform.init(config)
        except Retryable as error:
            if attempt == _INIT_ATTEMPTS:
                raise
            report(f"{error}; trying again in {_INIT_PAUSE_SECONDS:g} s")
            time.sleep(_INIT_PAUSE_SECONDS)
    return None


def _consume(
    store: RecordStore, stored: Stored, terraform: Terraform, workspace: Workspace
) -> dict[str, object]:
    try:
        return terraform.apply()
    except DeadlineExceeded as error:
        raise _close(store, stored, workspace, RunState.UNKNOWN, str(error)) from error
    except PlatformError as error:
        raise _close(store, stored, workspace, RunState.FAILED, str(error)) from error
    except BaseException:
        # Ctrl-C or a cancelled run: Terraform was asked to stop and had its time to save the state.
        _close(
            store, stored, workspace, RunState.UNKNOWN, "The apply was interrupted: the next run plans again."
        )
        raise


def _close(
    store: RecordStore, stored: Stored, workspace: Workspace, state: RunState, outcome: str
) -> PlatformError:
    """Close the record of an apply that did not succeed; the error to raise.

    A record that cannot be written stays `applying`, which no run goes on from either.
    """
    outcome += _harvest(store, stored.record.run_id, workspace)
    try:
        store.save(move(stored.record, state, datetime.now(UTC), outcome=outcome), stored.etag)
    except PlatformError as error:
        outcome += f" (and {error})"
    return PlatformError(outcome)


def _harvest(store: RecordStore, run_id: RunId, workspace: Workspace) -> str:
    """Keep the state that Terraform could not store, where there is one; a sentence about it."""
    if not workspace.errored_state.is_file():
        return ""
    content = workspace.errored_state.read_bytes()
    try:
        place = store.put_errored_state(run_id, content)
    except PlatformError:
        # The last place that is left; private to this user (mode 0600).
        descriptor, place = tempfile.mkstemp(prefix=f"errored-{run_id}-", suffix=".tfstate")
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        place = f"{Path(place)} on this worker"
    return f"; Terraform could not store the state, which is kept in {place}: push it before the next run"


def _done(record: RunRecord) -> str:
    counts = record.counts
    parts = [
        f"{number} {word}"
        for number, word in (
            (counts.add, "added"),
            (counts.change, "changed"),
            (counts.replace, "replaced"),
            (counts.destroy, "destroyed"),
        )
        if number
    ]
    return ", ".join(parts) or "outputs only"
