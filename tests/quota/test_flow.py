"""How the quota-sweep flow ends: never green about what it did not see."""

from __future__ import annotations

import pytest
from prefect.client.schemas.objects import StateType

from flows import quota_sweep as module
from gpuplatform.quota.summary import Blind, SweepSummary
from tests.quota.test_summary import ONE, summary

UNSEEN = Blind(subscription_id=ONE, region="eastus2", reason="refused")
PARTLY = Blind(subscription_id=ONE, region="*", reason="reading the AKS node pools: refused")


@pytest.mark.parametrize(
    ("result", "kind", "name"),
    [
        (summary(), StateType.COMPLETED, "Completed"),
        (summary(PARTLY), StateType.COMPLETED, "Partly blind"),
        (summary(UNSEEN, rows=False), StateType.FAILED, "Blind"),
    ],
)
def test_the_end(monkeypatch: pytest.MonkeyPatch, result: SweepSummary, kind: StateType, name: str) -> None:
    monkeypatch.setattr(module, "sweep", lambda *_: result)
    state = module.quota_sweep.fn()
    assert (state.type, state.name, state.message) == (kind, name, result.message)
