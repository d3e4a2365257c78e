"""The small steps of a run between plan and apply: each one reads and writes the record."""

from __future__ import annotations

from datetime import UTC, datetime

from gpuplatform.approval.client import RecordStore
from gpuplatform.approval.record import Decision, RunRecord, RunState
from gpuplatform.approval.transitions import TERMINAL, move
from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import Environment
from gpuplatform.errors import Refused
from gpuplatform.ids import RunId

__all__ = ["await_approval", "earlier_record", "fail_waiting", "mark_interrupted", "record_decision"]


def earlier_record(environment: Environment, run_id: RunId) -> RunRecord | None:
    """The record that a run has already; None when it has not planned yet."""
    with AzureClients() as clients:
        stored = RecordStore(clients, environment).find(run_id)
    return stored.record if stored else None


def await_approval(environment: Environment, record: RunRecord) -> RunRecord:
    """The record as `awaiting_approval`.

    Raises:
        Refused: the plan has waited too long; its record says so from now on.
    """
    now = datetime.now(UTC)
    if record.state is RunState.AWAITING_APPROVAL and not record.expired(now):
        return record
    with AzureClients() as clients:
        store = RecordStore(clients, environment)
        stored = store.get(record.run_id)
        if record.expired(now):
            outcome = (
                f"No decision by {record.expires_at:%Y-%m-%d %H:%M} UTC: start a new run, which plans again."
            )
            store.save(move(stored.record, RunState.EXPIRED, now, outcome=outcome), stored.etag)
            raise Refused(outcome)
        return store.save(move(stored.record, RunState.AWAITING_APPROVAL, now), stored.etag).record


def fail_waiting(environment: Environment, record: RunRecord, outcome: str) -> None:
    """Close the record of a run that cannot get an approval any more."""
    with AzureClients() as clients:
        store = RecordStore(clients, environment)
        stored = store.get(record.run_id)
        if stored.record.state not in TERMINAL:
            store.save(move(stored.record, RunState.FAILED, datetime.now(UTC), outcome=outcome), stored.etag)


def record_decision(store: RecordStore, run_id: RunId, decision: Decision) -> RunRecord:
    """Write the decision; writing the same one again changes nothing.

    Raises:
        Conflict: the run is not waiting for a decision.
    """
    stored = store.get(run_id)
    if stored.record.decision == decision:
        return stored.record
    approved = decision.value == "approve"
    outcome = ""
    if not approved:
        outcome = f"Rejected by {decision.approver}: {decision.comment}"
    state = RunState.APPROVED if approved else RunState.REJECTED
    changed = move(stored.record, state, datetime.now(UTC), decision=decision, outcome=outcome)
    return store.save(changed, stored.etag).record


def mark_interrupted(environment: Environment, record: RunRecord) -> RunRecord:
    """Close the record of a run whose process ended while it applied: nobody knows how far it came."""
    outcome = (
        "This run was interrupted while it applied its plan, so the outcome is unknown:"
        " start a new run, which plans again."
    )
    with AzureClients() as clients:
        store = RecordStore(clients, environment)
        stored = store.get(record.run_id)
        if stored.record.state is not RunState.APPLYING:
            return stored.record
        return store.save(
            move(stored.record, RunState.UNKNOWN, datetime.now(UTC), outcome=outcome), stored.etag
        ).record
