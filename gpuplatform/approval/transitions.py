"""Which state of a run may follow which."""

from __future__ import annotations

from datetime import datetime
from types import MappingProxyType
from typing import Any

from gpuplatform.approval.record import RunRecord, RunState
from gpuplatform.errors import Conflict

__all__ = ["TERMINAL", "TRANSITIONS", "move"]

_S = RunState

TRANSITIONS = MappingProxyType(
    {
        _S.PLANNED: frozenset({_S.AWAITING_APPROVAL, _S.EXPIRED, _S.FAILED}),
        _S.AWAITING_APPROVAL: frozenset({_S.APPROVED, _S.REJECTED, _S.EXPIRED, _S.FAILED}),
        _S.APPROVED: frozenset({_S.APPLYING, _S.EXPIRED, _S.FAILED}),
        # Nothing leads back from `applying`: a plan is consumed once, whatever became of it.
        _S.APPLYING: frozenset({_S.APPLIED, _S.FAILED, _S.UNKNOWN}),
        _S.PLANNED_NO_CHANGES: frozenset(),
        _S.REJECTED: frozenset(),
        _S.EXPIRED: frozenset(),
        _S.APPLIED: frozenset(),
        _S.FAILED: frozenset(),
        _S.UNKNOWN: frozenset(),
    }
)

TERMINAL = frozenset(state for state, following in TRANSITIONS.items() if not following)


def move(record: RunRecord, state: RunState, now: datetime, **fields: Any) -> RunRecord:
    """The record in another state, with further fields changed.

    Raises:
        Conflict: that state may not follow the present one.
    """
    if state not in TRANSITIONS[record.state]:
        raise Conflict(
            f"run {record.run_id} of {record.environment} is {record.state} and cannot become {state}"
        )
    return record.model_copy(update={"state": state, "updated_at": now, **fields})
