"""The sweep against a running cloud: real pages, real refusals."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplatform.quota.rows import QuotaState
from gpuplatform.quota.sweep import sweep_quota
from gpuplatform.settings import Settings

STRANGER = "99999999-9999-9999-9999-999999999999"
pytestmark = pytest.mark.usefixtures("sandbox_env")


def test_granted_and_not_granted_families() -> None:
    settings = Settings()
    progress: list[str] = []
    found = sweep_quota([settings.subscription_id], ["eastus2", "westus2"], progress.append, settings)
    assert found.blind == ()
    assert progress[-1] == "2 of 2 regions read"
    rows = {(row.region, row.model): row for row in found.rows}
    t4 = rows["eastus2", "T4"]
    assert t4.state is QuotaState.FREE
    assert t4.limit_vcpus
    assert t4.granted_gpus == t4.limit_vcpus // 4
    assert {size.name for size in t4.sizes} >= {"Standard_NC4as_T4_v3", "Standard_NC64as_T4_v3"}
    assert "H200 141GB SXM" in found.refused_models
    assert "T4" in found.granted_models


def test_restrictions_are_told() -> None:
    settings = Settings()
    found = sweep_quota([settings.subscription_id], ["eastus"], print, settings)
    sizes = {size.name: size for row in found.rows for size in row.sizes}
    assert sizes["Standard_ND96isr_H100_v5"].restriction == "NotAvailableForSubscription"
    assert (sizes["Standard_NC6s_v3"].restriction or "").startswith("not in zone")


def test_a_subscription_that_cannot_be_read_is_blind_and_never_green() -> None:
    settings = Settings()
    found = sweep_quota([settings.subscription_id, STRANGER], ["eastus2"], print, settings)
    assert {cell.subscription_id for cell in found.blind} == {STRANGER}
    assert "eastus2 (99999999)" in found.message
    assert found.seen
    alone: Any = sweep_quota([STRANGER], ["eastus2"], print, settings)
    assert not alone.seen
    assert alone.rows == ()
