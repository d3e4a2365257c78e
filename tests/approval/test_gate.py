"""The flow with its pause, in this process: suspended, refused, asked again, resumed, run once."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import FlowRun, State
from prefect.exceptions import Pause
from prefect.flow_engine import run_flow
from prefect.flow_runs import resume_flow_run
from prefect.testing.utilities import prefect_test_harness

from flows.bootstrap_state import bootstrap_state
from flows.provision import provision
from gpuplatform.approval.client import RecordStore
from gpuplatform.approval.record import RunState
from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import Environment
from gpuplatform.ids import RunId
from gpuplatform.settings import settings
from tests.approval.conftest import write_variables

GOOD = {"decision": "approve", "approver": "operator@example.com", "comment": "go"}

pytestmark = pytest.mark.filterwarnings(
    # Prefect's own: its ephemeral server's sockets and event streams are closed by the collector.
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)


@pytest.fixture(scope="module")
def prefect() -> Iterator[SyncPrefectClient]:
    with prefect_test_harness(server_startup_timeout=90), get_client(sync_client=True) as client:
        yield client
    gc.collect()


@pytest.fixture
def our_home(backend: AzureClients, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The flows' settings lead to this test's checkout."""
    assert backend.settings.home == home
    monkeypatch.setenv("GPUPLATFORM_HOME", str(home))
    settings.cache_clear()
    yield home
    settings.cache_clear()


class Gate:
    """One run of the deployment, driven as a worker would drive it."""

    def __init__(self, client: SyncPrefectClient) -> None:
        self._client = client
        deployment: Any = provision.to_deployment(
            "gate", parameters={"environment": "dev", "requester": "dev@example.com"}
        )
        self.id: UUID = client.create_flow_run_from_deployment(deployment.apply()).id

    def run(self) -> FlowRun | State[Any]:
        """Run the flow from its top: the run when it is suspended, otherwise its final state."""
        try:
            final: Any = run_flow(
                provision, flow_run=self._client.read_flow_run(self.id), return_type="state"
            )
        except Pause:
            return self._client.read_flow_run(self.id)
        assert isinstance(final, State)
        return final

    def suspended(self) -> FlowRun:
        run = self.run()
        assert isinstance(run, FlowRun)
        assert run.state is not None
        assert run.state.name == "Suspended"
        return run

    def finished(self) -> State[Any]:
        state = self.run()
        assert isinstance(state, State)
        return state

    def answer(self, **answer: str) -> None:
        resume_flow_run(self.id, run_input=answer)

    def tasks(self) -> dict[str, int]:
        runs = self._client.read_task_runs()
        return {run.name: run.run_count for run in runs if run.flow_run_id == self.id}

    def description(self, key: str) -> str:
        response = self._client.request(
            "GET", "/flow_runs/{id}/input/{key}", path_params={"id": self.id, "key": key}
        )
        return response.text


@pytest.fixture
def gate(prefect: SyncPrefectClient, our_home: Path) -> Callable[[], Gate]:
    assert our_home.exists()
    return lambda: Gate(prefect)


def test_asked_again_approved_applied_and_each_step_once(
    gate: Callable[[], Gate], backend: AzureClients, environment: Environment, home: Path
) -> None:
    run = gate()
    paused = run.suspended()
    assert paused.name == f"provision dev #{str(run.id)[-4:]}"
    store = RecordStore(backend, environment)
    record = store.get(RunId(str(run.id))).record
    assert record.state is RunState.AWAITING_APPROVAL
    assert paused.state is not None
    assert paused.state.state_details.pause_key == f"approve-{record.plan_sha256[:12]}"

    # The server refuses these; the run stays suspended.
    for bad in ({"decision": "yes"}, {"decision": "approve", "approver": "x"}, {}):
        with pytest.raises(RuntimeError, match="Cannot resume"):
            run.answer(**bad)

    # A form that is right but from somebody who may not decide: asked again, with the reason.
    run.answer(decision="approve", approver="eve@example.com")
    again = run.suspended()
    assert again.state is not None
    details = again.state.state_details
    assert details.pause_key == f"approve-{record.plan_sha256[:12]}-2"
    assert details.run_input_keyset is not None
    description = run.description(details.run_input_keyset["description"])
    assert "eve@example.com may not decide on dev" in description
    assert "1 to add" in description

    run.answer(**GOOD)
    final = run.finished()
    assert (final.type.value, final.message) == (
        "COMPLETED",
        "Applied to dev: 1 added, approved by operator@example.com.",
    )
    assert run.tasks() == {"plan dev": 1, "record the decision on dev": 1, "apply dev": 1}
    assert (home / "ran").read_text() == "ran\n"
    done = store.get(RunId(str(run.id))).record
    assert done.decision is not None
    assert (done.decision.approver, done.decision.comment) == ("operator@example.com", "go")

    nothing = gate()
    final = nothing.finished()
    assert (final.type.value, final.name) == ("COMPLETED", "No changes")
    assert nothing.tasks() == {"plan dev": 1}


def test_rejected(gate: Callable[[], Gate], home: Path) -> None:
    run = gate()
    run.suspended()
    run.answer(decision="reject", approver="lead@example.com")
    run.suspended()
    run.answer(decision="reject", approver="lead@example.com", comment="not this week")
    final = run.finished()
    assert (final.type.value, final.name, final.message) == (
        "FAILED",
        "Rejected",
        "Rejected by lead@example.com: not this week",
    )
    assert not (home / "ran").exists()


def test_answer_after_the_deadline(
    gate: Callable[[], Gate], backend: AzureClients, environment: Environment, home: Path
) -> None:
    run = gate()
    run.suspended()
    store = RecordStore(backend, environment)
    stored = store.get(RunId(str(run.id)))
    store.save(stored.record.model_copy(update={"expires_at": stored.record.created_at}), stored.etag)
    run.answer(**GOOD)
    final = run.finished()
    assert final.type.value == "FAILED"
    assert final.message is not None
    assert "No decision by" in final.message
    assert store.get(RunId(str(run.id))).record.state is RunState.EXPIRED
    assert not (home / "ran").exists()


def test_a_killed_apply_is_not_repeated(
    gate: Callable[[], Gate], backend: AzureClients, environment: Environment, home: Path
) -> None:
    run = gate()
    run.suspended()
    store = RecordStore(backend, environment)
    stored = store.get(RunId(str(run.id)))
    # As a worker leaves it that dies in the middle of the apply.
    store.save(stored.record.model_copy(update={"state": RunState.APPLYING}), stored.etag)
    run.answer(**GOOD)
    final = run.finished()
    assert final.type.value == "FAILED"
    assert "outcome is unknown: start a new run" in str(final.message)
    assert store.get(RunId(str(run.id))).record.state is RunState.UNKNOWN
    assert not (home / "ran").exists()


def test_wrong_input_is_one_sentence_without_a_traceback(
    gate: Callable[[], Gate], home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_variables(home, size="Standard_D4s_v5")
    final = gate().finished()
    assert (final.type.value, final.message) == (
        "FAILED",
        "GPU VM size must be an N-series SKU (e.g., Standard_NC6s_v3).",
    )
    assert "Traceback" not in caplog.text


def test_run_by_hand_cannot_wait(
    prefect: SyncPrefectClient, our_home: Path, backend: AzureClients, environment: Environment
) -> None:
    assert prefect
    assert our_home.exists()
    final: Any = provision("dev", "dev@example.com", return_state=True)
    assert final.type.value == "FAILED"
    assert "start it as a deployment" in final.message
    record = RecordStore(backend, environment).newest(RunState.FAILED)
    assert record is not None


def test_bootstrap_flow(prefect: SyncPrefectClient, our_home: Path) -> None:
    assert prefect
    assert our_home.exists()
    final: Any = bootstrap_state("dev", return_state=True)
    assert (final.type.value, final.name) == ("COMPLETED", "No changes")
    unknown: Any = bootstrap_state("staging", return_state=True)
    assert unknown.type.value == "FAILED"
    assert "unknown environment 'staging': environments.yaml has dev" in unknown.message
