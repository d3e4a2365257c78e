"""How the verify-gpu flow ends for each kind of result."""

from __future__ import annotations

import pytest
from prefect.client.schemas.objects import StateType

from flows import verify_gpu as module
from gpuplatform.environments import EnvironmentName
from gpuplatform.gpu.findings import Verdict
from gpuplatform.gpu.summary import VerifySummary
from tests.gpu.test_summary import BAD, GOOD, IDLE, UNKNOWN, WARNED


@pytest.mark.parametrize(
    ("verdicts", "kind", "name"),
    [
        ((GOOD, WARNED, IDLE), StateType.COMPLETED, "Completed"),
        ((IDLE,), StateType.COMPLETED, "Nothing to verify"),
        ((), StateType.COMPLETED, "Nothing to verify"),
        ((GOOD, UNKNOWN), StateType.FAILED, "Unproven"),
        ((GOOD, UNKNOWN, BAD), StateType.FAILED, "GPUs failing"),
    ],
)
def test_the_end(
    monkeypatch: pytest.MonkeyPatch, verdicts: tuple[Verdict, ...], kind: StateType, name: str
) -> None:
    summary = VerifySummary(environment=EnvironmentName.DEV, verdicts=verdicts)
    monkeypatch.setattr(module, "verify", lambda _: summary)
    state = module.verify_gpu.fn(EnvironmentName.DEV)
    assert (state.type, state.name, state.message) == (kind, name, summary.message)
