"""The sentence of a sweep: it never leaves out what was not seen."""

from __future__ import annotations

import pytest

from gpuplatform.environments import EnvironmentName, load_environment
from gpuplatform.errors import InvalidInput
from gpuplatform.gpu.catalog import catalog
from gpuplatform.quota.readings import RegionReading, SizeOffer, Usage
from gpuplatform.quota.rows import region_rows
from gpuplatform.quota.scope import sweep_scope
from gpuplatform.quota.summary import Blind, Cell, SweepSummary
from gpuplatform.settings import Settings

ONE = "11111111-0000-0000-0000-000000000001"
TWO = "22222222-0000-0000-0000-000000000002"
CELL = Cell(subscription_id=ONE, region="eastus2")


def summary(*blind: Blind, cells: tuple[Cell, ...] = (CELL,), rows: bool = True) -> SweepSummary:
    usages = (
        Usage("cores", "Total Regional vCPUs", 0, 350),
        Usage("standardNCASv3_T4Family", "T4", 4, 64),
        Usage("StandardNCADSA100v4Family", "A100", 0, 0),
    )
    offers = (
        SizeOffer("Standard_NC4as_T4_v3", "standardNCASv3_T4Family", 4),
        SizeOffer("Standard_NC24ads_A100_v4", "StandardNCADSA100v4Family", 24),
    )
    found = region_rows(RegionReading(ONE, "eastus2", usages, offers), catalog()) if rows else ()
    return SweepSummary(cells=cells, rows=found, blind=blind)


def test_everything_seen() -> None:
    found = summary()
    assert found.message == "1 GPU model granted in 1 region; 1 not granted; blind: none"
    (row,) = found.table_rows()
    assert (row["GPU"], row["granted"], row["used ≤"], row["free"]) == ("T4", "16", "1", "15")
    assert "subscription" not in row
    assert "**Not granted in eastus2** (limit 0): A100 80GB PCIe." in found.markdown()


def test_a_blind_cell_is_in_the_sentence_and_in_the_report() -> None:
    unseen = Blind(subscription_id=TWO, region="eastus2", reason="reading the limits: AuthorizationFailed")
    cells = (CELL, Cell(subscription_id=TWO, region="eastus2"))
    found = summary(unseen, cells=cells)
    assert found.message.endswith("blind: eastus2 (22222222) (reading the limits: AuthorizationFailed)")
    assert found.seen
    assert "### Not seen" in found.markdown()
    assert found.table_rows()[0]["subscription"] == "11111111"


def test_nothing_seen() -> None:
    unseen = Blind(subscription_id=ONE, region="eastus2", reason="refused")
    assert not summary(unseen, rows=False).seen


def test_regions_without_compute_are_named() -> None:
    found = SweepSummary(cells=(CELL,), rows=(), not_offered=(CELL,))
    assert "Compute not offered: eastus2 (11111111)" in found.message
    assert found.seen


def test_it_survives_the_way_through_json() -> None:
    found = summary()
    assert SweepSummary.model_validate_json(found.model_dump_json()) == found


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.delenv("GPUPLATFORM_SUBSCRIPTION_ID", raising=False)
    monkeypatch.setenv("AZURE_SUBSCRIPTION_ID", ONE)
    return Settings()


def test_the_scope(settings: Settings) -> None:
    scope = sweep_scope(["East US 2", "eastus2", "westus"], None, settings)
    assert scope.regions == ("eastus2", "westus")
    assert scope.subscription_ids == (ONE,)
    assert sweep_scope(None, [TWO.upper()], settings).subscription_ids == (TWO,)
    own = {load_environment(name, settings.home).location for name in EnvironmentName}
    assert set(sweep_scope(None, None, settings).regions) == own


@pytest.mark.parametrize(
    ("regions", "subscriptions", "message"),
    [
        (["2east"], None, "'2east' is not an Azure region"),
        ([""], None, "'' is not an Azure region"),
        (None, ["my subscription"], "'my subscription' is not a subscription id"),
    ],
)
def test_what_is_typed_wrong(
    settings: Settings, regions: list[str] | None, subscriptions: list[str] | None, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        sweep_scope(regions, subscriptions, settings)
