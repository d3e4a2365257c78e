"""Records in blob storage: written once, replaced only by who has read the last version."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gpuplatform.approval.client import RecordStore
from gpuplatform.approval.record import Decision, RunState
from gpuplatform.approval.transitions import move
from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import Environment
from gpuplatform.errors import Conflict, NotFound
from gpuplatform.ids import RunId
from gpuplatform.provisioning.steps import record_decision
from tests.approval.records import NOW, record

RUN = RunId("run-1")


def test_nothing_is_there_before_the_bootstrap(clients: AzureClients, environment: Environment) -> None:
    elsewhere = environment.model_copy(
        update={"state": environment.state.model_copy(update={"account": "stnobodyhasthis"})}
    )
    store = RecordStore(clients, elsewhere)
    assert not store.exists()
    assert store.find(RUN) is None
    # Its account is there after other tests, its container is not.
    assert RecordStore(clients, environment).find(RUN) is None


def test_create_read_save(backend: AzureClients, environment: Environment) -> None:
    store = RecordStore(backend, environment)
    assert store.find(RUN) is None
    with pytest.raises(NotFound, match="no record of run run-1 of dev"):
        store.get(RUN)
    created = store.create(record())
    assert store.get(RUN) == created
    with pytest.raises(Conflict):
        store.create(record())

    approved = store.save(move(created.record, RunState.APPROVED, NOW), created.etag)
    assert store.get(RUN) == approved
    with pytest.raises(Conflict, match="was changed by another process"):
        store.save(move(created.record, RunState.REJECTED, NOW), created.etag)
    assert store.get(RUN).record.state is RunState.APPROVED


def test_plan_and_errored_state(backend: AzureClients, environment: Environment) -> None:
    store = RecordStore(backend, environment)
    store.put_plan(RUN, b"first attempt")
    store.put_plan(RUN, b"the plan")
    assert store.get_plan(RUN) == b"the plan"
    assert store.put_errored_state(RUN, b"{}") == "dev/run-1/errored.tfstate"
    # Neither is taken for a record.
    assert store.newest(RunState.APPLIED) is None


def test_newest_and_overdue(backend: AzureClients, environment: Environment) -> None:
    store = RecordStore(backend, environment)
    store.create(record(run_id=RunId("a"), state=RunState.APPLIED, outputs={"n": 1}))
    store.create(record(run_id=RunId("b"), state=RunState.REJECTED))
    late = store.create(record(run_id=RunId("c")))
    store.create(record(run_id=RunId("d"), expires_at=NOW + timedelta(hours=99)))
    found = store.newest(RunState.APPLIED)
    assert found is not None
    assert found.run_id == "a"

    assert store.expire_overdue(NOW) == 0
    assert store.expire_overdue(late.record.expires_at) == 1
    assert store.expire_overdue(late.record.expires_at) == 0
    expired = store.get(RunId("c")).record
    assert (expired.state, expired.outcome) == (RunState.EXPIRED, "No decision by 2026-01-03 03:04 UTC.")
    assert store.get(RunId("d")).record.state is RunState.AWAITING_APPROVAL


def test_a_decision_is_written_once(backend: AzureClients, environment: Environment) -> None:
    store = RecordStore(backend, environment)
    store.create(record())
    decision = Decision(value="reject", approver="operator@example.com", comment="too big", decided_at=NOW)
    first = record_decision(store, RUN, decision)
    assert (first.state, first.outcome) == (
        RunState.REJECTED,
        "Rejected by operator@example.com: too big",
    )
    # A retried task writes the same again; another decision comes too late.
    assert record_decision(store, RUN, decision) == first
    with pytest.raises(Conflict, match="is rejected and cannot become approved"):
        record_decision(store, RUN, decision.model_copy(update={"value": "approve"}))
