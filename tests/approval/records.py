"""A record to test with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from gpuplatform.approval.record import Counts, RunRecord, RunState
from gpuplatform.environments import EnvironmentName
from gpuplatform.ids import RunId

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def record(**changed: Any) -> RunRecord:
    fields: dict[str, Any] = {
        "run_id": RunId("run-1"),
        "environment": EnvironmentName.DEV,
        "requester": "dev@example.com",
        "state": RunState.AWAITING_APPROVAL,
        "created_at": NOW,
        "updated_at": NOW,
        "expires_at": NOW + timedelta(hours=24),
        "engine_version": "1.11.4",
        "code_version": "c0de",
        "config_digest": "d19e57",
        "plan_sha256": "a" * 64,
        "plan_bytes": 10,
        "counts": Counts(add=2),
        "summary": "**2 to add**",
    }
    return RunRecord(**{**fields, **changed})
