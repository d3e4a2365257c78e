"""Plan, decide, apply with the real engine and the real backend: exactly the approved plan, once."""

from __future__ import annotations

import _thread
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gpuplatform.approval.client import RecordStore
from gpuplatform.approval.record import Decision, RunRecord, RunState
from gpuplatform.approval.transitions import move
from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import Environment
from gpuplatform.errors import Conflict, InvalidInput, NotFound, PlatformError, Refused
from gpuplatform.ids import RunId
from gpuplatform.provisioning.apply import apply_approved_plan
from gpuplatform.provisioning.outputs import environment_outputs
from gpuplatform.provisioning.plan import plan_environment
from gpuplatform.provisioning.steps import record_decision
from tests.approval.conftest import write_variables

RUN = RunId("run-1")


def plan(clients: AzureClients, environment: Environment, run: str = RUN) -> RunRecord:
    return plan_environment(clients, environment, RunId(run), "dev@example.com", lambda _: None)


def approve(clients: AzureClients, environment: Environment, run: str = RUN) -> None:
    store = RecordStore(clients, environment)
    stored = store.get(RunId(run))
    store.save(move(stored.record, RunState.AWAITING_APPROVAL, datetime.now(UTC)), stored.etag)
    decision = Decision(value="approve", approver="operator@example.com", decided_at=datetime.now(UTC))
    record_decision(store, RunId(run), decision)


def ran(home: Path) -> int:
    """How often the configuration's provisioner ran."""
    return len((home / "ran").read_text().splitlines()) if (home / "ran").exists() else 0


def test_plan_approve_apply_then_no_changes(
    backend: AzureClients, environment: Environment, home: Path
) -> None:
    planned = plan(backend, environment)
    assert planned.state is RunState.PLANNED
    assert (planned.counts.add, planned.counts.total) == (1, 1)
    assert planned.summary.startswith("**1 to add")
    assert "very-secret" not in planned.model_dump_json()
    assert planned.expires_at - planned.created_at == timedelta(hours=1)
    with pytest.raises(NotFound, match="not provisioned"):
        environment_outputs(backend, environment)

    approve(backend, environment)
    said: list[str] = []
    applied = apply_approved_plan(backend, environment, RUN, said.append)
    assert (applied.state, applied.outcome) == (
        RunState.APPLIED,
        "Applied to dev: 1 added, approved by operator@example.com.",
    )
    assert applied.outputs["cluster_name"] == "aks-ai-dev"
    assert "token" not in applied.outputs
    assert "terraform_data.pool: Creation complete after 0s" in said
    assert ran(home) == 1

    # The plan was consumed.
    with pytest.raises(Refused, match="the plan is applied, not approved"):
        apply_approved_plan(backend, environment, RUN, said.append)
    assert ran(home) == 1

    again = plan(backend, environment, "run-2")
    assert (again.state, again.counts.total) == (RunState.PLANNED_NO_CHANGES, 0)
    assert again.outputs == applied.outputs
    assert again.state_lineage
    assert environment_outputs(backend, environment).gpu_pools["gpu"].vm_size == "Standard_NC6"


def test_outputs_come_from_the_state_where_no_record_has_them(
    backend: AzureClients, environment: Environment
) -> None:
    plan(backend, environment)
    approve(backend, environment)
    apply_approved_plan(backend, environment, RUN, lambda _: None)
    store = RecordStore(backend, environment)
    container = backend.blobs(store.account).get_container_client(environment.state.records_container)
    container.delete_blob("dev/run-1/record.json")
    assert environment_outputs(backend, environment).cluster_name == "aks-ai-dev"


def test_wrong_variable_reaches_the_person_as_it_was_written(
    backend: AzureClients, environment: Environment, home: Path
) -> None:
    write_variables(home, size="Standard_D4s_v5")
    with pytest.raises(InvalidInput) as caught:
        plan(backend, environment)
    assert str(caught.value) == "GPU VM size must be an N-series SKU (e.g., Standard_NC6s_v3)."
    assert RecordStore(backend, environment).find(RUN) is None


def test_without_a_state_backend(clients: AzureClients, environment: Environment) -> None:
    elsewhere = environment.model_copy(
        update={"state": environment.state.model_copy(update={"account": "stnobodyhasthis"})}
    )
    with pytest.raises(NotFound, match="run bootstrap-state for it first"):
        plan(clients, elsewhere)


def test_with_half_a_state_backend(backend: AzureClients, environment: Environment) -> None:
    half = environment.model_copy(
        update={"state": environment.state.model_copy(update={"records_container": "missing"})}
    )
    with pytest.raises(NotFound, match=r"no complete state backend \(st.*: run bootstrap-state"):
        plan(backend, half)


def test_another_plan_file_is_refused(backend: AzureClients, environment: Environment, home: Path) -> None:
    plan(backend, environment)
    plan(backend, environment, "run-2")
    approve(backend, environment)
    store = RecordStore(backend, environment)
    store.put_plan(RUN, store.get_plan(RunId("run-2")))
    with pytest.raises(Refused, match="SHA-256 differs"):
        apply_approved_plan(backend, environment, RUN, lambda _: None)
    assert ran(home) == 0
    assert store.get(RUN).record.state is RunState.FAILED


@pytest.mark.parametrize("what", ["configuration", "expiry", "engine", "code"])
def test_what_changed_after_the_plan(
    backend: AzureClients,
    environment: Environment,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
) -> None:
    plan(backend, environment)
    approve(backend, environment)
    store = RecordStore(backend, environment)
    stored = store.get(RUN)
    if what == "configuration":
        write_variables(home, size="Standard_NC12")
    elif what == "expiry":
        late = stored.record.model_copy(update={"expires_at": datetime.now(UTC)})
        store.save(late, stored.etag)
    elif what == "engine":
        store.save(stored.record.model_copy(update={"engine_version": "1.99.0"}), stored.etag)
    else:
        monkeypatch.setattr("gpuplatform.provisioning.apply.code_version", lambda: "other")
    with pytest.raises(Refused, match="start a new run, which plans again"):
        apply_approved_plan(backend, environment, RUN, lambda _: None)
    expected = RunState.EXPIRED if what == "expiry" else RunState.FAILED
    assert store.get(RUN).record.state is expected
    assert ran(home) == 0


def test_a_stale_plan_is_refused_by_terraform(
    backend: AzureClients, environment: Environment, home: Path
) -> None:
    plan(backend, environment)
    plan(backend, environment, "run-2")
    approve(backend, environment)
    approve(backend, environment, "run-2")
    apply_approved_plan(backend, environment, RunId("run-2"), lambda _: None)
    with pytest.raises(PlatformError, match="the state changed after the plan was made"):
        apply_approved_plan(backend, environment, RUN, lambda _: None)
    assert RecordStore(backend, environment).get(RUN).record.state is RunState.FAILED
    assert ran(home) == 1


def test_interrupted_apply(backend: AzureClients, environment: Environment, home: Path) -> None:
    write_variables(home, seconds=60)
    plan(backend, environment)
    approve(backend, environment)

    def report(line: str) -> None:
        if "Provisioning" in line:
            threading.Timer(0.3, _thread.interrupt_main).start()

    with pytest.raises(KeyboardInterrupt):
        apply_approved_plan(backend, environment, RUN, report)
    stored = RecordStore(backend, environment).get(RUN).record
    assert (stored.state, stored.outcome) == (
        RunState.UNKNOWN,
        "The apply was interrupted: the next run plans again.",
    )
    # Terraform had its time: the state's lock is free and the half-made resource is known.
    write_variables(home)
    assert plan(backend, environment, "run-2").counts.replace == 1


def test_apply_whose_time_is_over(
    backend: AzureClients, environment: Environment, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_variables(home, seconds=60)
    plan(backend, environment)
    approve(backend, environment)
    changed = backend.settings.model_copy(update={"terraform_apply_timeout_seconds": 3})
    monkeypatch.setattr(backend, "settings", changed)
    with pytest.raises(PlatformError, match="took more than 3 s; it was asked to stop and did"):
        apply_approved_plan(backend, environment, RUN, lambda _: None)
    assert RecordStore(backend, environment).get(RUN).record.state is RunState.UNKNOWN


def test_locked_state(
    backend: AzureClients, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RecordStore(backend, environment)
    container = backend.blobs(store.account).get_container_client(environment.state.container)
    blob = container.get_blob_client(environment.state_key)
    blob.upload_blob(b"")
    lease = blob.acquire_lease()
    changed = backend.settings.model_copy(update={"terraform_lock_timeout_seconds": 0})
    monkeypatch.setattr(backend, "settings", changed)
    with pytest.raises(Conflict, match="the state is locked"):
        plan(backend, environment)
    lease.release()


def test_overdue_runs_are_closed_by_the_next_plan(backend: AzureClients, environment: Environment) -> None:
    plan(backend, environment)
    store = RecordStore(backend, environment)
    stored = store.get(RUN)
    store.save(stored.record.model_copy(update={"expires_at": datetime.now(UTC)}), stored.etag)
    plan(backend, environment, "run-2")
    assert store.get(RUN).record.state is RunState.EXPIRED
