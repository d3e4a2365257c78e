"""How tasks are retried: only errors that are typed retryable, a bounded number of times."""

from __future__ import annotations

from typing import Any

from prefect.client.schemas.objects import State, TaskRun
from prefect.tasks import exponential_backoff

from gpuplatform.errors import Retryable

__all__ = ["RETRYING"]


def _is_retryable(_task: Any, _run: TaskRun, state: State[Any]) -> bool:
    # In the engine a failed attempt's state carries the exception itself.
    return isinstance(state.data, Retryable)


RETRYING: dict[str, Any] = {
    "retries": 3,
    "retry_delay_seconds": exponential_backoff(backoff_factor=2),
    "retry_jitter_factor": 0.5,
    "retry_condition_fn": _is_retryable,
}
"""Options of a task that talks to a network: 3 retries after about 2, 4 and 8 s.

The HTTP pipeline below has its own short retries; these are for outages that outlast them.
"""
