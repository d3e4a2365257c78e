"""The whole chain through a deployment, with the faults an operator meets on the way."""

from __future__ import annotations

import pytest

from demo.errors import DemoError
from tests.e2e.conftest import APPROVER, REQUESTER, Platform

pytestmark = pytest.mark.timeout(600)


def test_platform_survives_its_servers_and_does_each_step_once(platform: Platform) -> None:
    run_id = platform.start_gated_run("platform/platform", "dev")
    state = platform.wait(run_id, suspended=True)
    assert state.suspended, state.message
    before = platform.task_counts(run_id)
    assert before == {"bootstrap state of dev": 1, "plan dev": 1}

    platform.kill_worker()
    platform.restart_server()
    platform.start_worker()

    # What the form's schema can say is refused by the server; the run stays suspended.
    with pytest.raises(DemoError, match="could not be resumed"):
        platform.answer(run_id, decision="yes", approver=APPROVER)
    with pytest.raises(DemoError, match="could not be resumed"):
        platform.answer(run_id, decision="approve")
    # Who may approve is decided by the flow, which asks again and says why.
    first = platform.api.state(run_id).at
    platform.answer(run_id, decision="approve", approver=REQUESTER, comment="")
    state = platform.wait(run_id, suspended=True)
    while state.suspended and state.at == first:
        state = platform.wait(run_id, suspended=True)
    assert state.suspended, state.message

    platform.answer(run_id, decision="approve", approver=APPROVER, comment="looks right")
    state = platform.wait(run_id)
    assert state.type == "COMPLETED", state.message
    counts = platform.task_counts(run_id)
    assert set(counts.values()) == {1}, counts
    assert before.keys() < counts.keys()
    summary = platform.api.artifact("platform-dev") or ""
    assert "aks-ai-dev" in summary
    assert "data-science" in summary
    assert "healthy" in summary


def test_a_second_run_changes_nothing(platform: Platform) -> None:
    run_id = platform.start_gated_run("platform/platform", "dev")
    state = platform.wait(run_id)
    assert (state.type, state.name) == ("COMPLETED", "No changes"), state.message


def test_a_rejection_ends_the_run_and_applies_nothing(platform: Platform) -> None:
    platform.has_state_backend("prod")
    run_id = platform.start_gated_run("provision/provision", "prod")
    assert platform.wait(run_id, suspended=True).suspended
    platform.answer(
        run_id, decision="reject", approver="platform-lead@example.com", comment="not before the audit"
    )
    state = platform.wait(run_id)
    assert (state.type, state.name) == ("FAILED", "Rejected")
    assert "platform-lead@example.com" in state.message
    assert "not before the audit" in state.message
    assert not any(name.startswith("apply") for name in platform.task_counts(run_id))
    assert "Traceback" not in "".join(line.text for line in platform.api.logs(run_id, 0))


def test_an_unknown_environment_is_refused_before_it_is_a_run(platform: Platform) -> None:
    with pytest.raises(DemoError, match="'qa' is not one of"):
        platform.start_gated_run("platform/platform", "qa")
