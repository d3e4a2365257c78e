"""The catalogue, in every spelling that Azure uses."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.gpu.catalog import Driver, catalog, normalize_family


@pytest.mark.parametrize(
    ("spelling", "key"),
    [
        ("Standard NCASv3_T4 Family", "NCasT4_v3"),
        ("StandardNCASv3_T4Family", "NCasT4_v3"),
        ("standardNCADSA100v4Family", "NC_A100_v4"),
        ("StandardNCadsA100v4Family", "NC_A100_v4"),
        ("standard NDAMSv4_A100Family", "NDm_A100_v4"),
        ("standardNDISR GB300V6 Family", "ND_GB300_v6"),
        ("standardNCSv3Family", "NCv3"),
    ],
)
def test_families_in_any_spelling(spelling: str, key: str) -> None:
    family = catalog().family(spelling)
    assert family is not None
    assert family.key == key


@pytest.mark.parametrize("name", ["standardDSv5Family", "cores", "lowPriorityCores", "standardNPSFamily"])
def test_other_families_are_not_gpus(name: str) -> None:
    assert catalog().family(name) is None
    assert not catalog().may_be_gpu_family(name)


@pytest.mark.parametrize("name", ["standardNCB300v7Family", "internalNDMSv1Family"])
def test_a_new_n_series_family_may_be_a_gpu(name: str) -> None:
    assert catalog().family(name) is None
    assert catalog().may_be_gpu_family(name)


@pytest.mark.parametrize("name", ["Standard_NC4as_T4_v3", "standard_nc4as_t4_v3", "NC4as_T4_v3"])
def test_sizes_in_any_case(name: str) -> None:
    sku = catalog().sku(name)
    assert sku is not None
    assert (sku.vcpus, sku.gpus, sku.memory_gib) == (4, Fraction(1), 28)


@pytest.mark.parametrize("name", ["Standard_D4s_v5", "Standard_NP10s", "", "Standard_NC4as_T4_v4"])
def test_sizes_without_a_known_gpu(name: str) -> None:
    assert catalog().sku(name) is None


def test_which_unlisted_sizes_may_have_gpus() -> None:
    assert catalog().may_be_gpu_sku("Standard_NC4as_T4_v4")
    assert not catalog().may_be_gpu_sku("Standard_NP10s")
    assert not catalog().may_be_gpu_sku("Standard_D4s_v5")


def test_slices_and_counts_that_the_sku_api_gets_wrong() -> None:
    known = catalog()
    sixth, gb200 = known.sku("Standard_NV6ads_A10_v5"), known.sku("Standard_ND128isr_NDR_GB200_v6")
    assert sixth is not None
    assert gb200 is not None
    assert (sixth.gpus, sixth.devices) == (Fraction(1, 6), 1)
    assert (gb200.gpus, gb200.devices) == (Fraction(4), 4)


@pytest.mark.parametrize(
    ("sku", "product", "same"),
    [
        ("Standard_NC4as_T4_v3", "Tesla T4", True),
        ("Standard_NC24ads_A100_v4", "NVIDIA A100 80GB PCIe", True),
        ("Standard_NC24ads_A100_v4", "NVIDIA A100-SXM4-40GB", False),
        ("Standard_ND96asr_v4", "NVIDIA A100-SXM4-40GB", True),
        ("Standard_NC8ads_A10_v4", "NVIDIA A100 80GB PCIe", False),
        ("Standard_NV36ads_A10_v5", "NVIDIA A10-24Q", True),
        ("Standard_ND96isr_H100_v5", "NVIDIA H100 80GB HBM3", True),
        ("Standard_NC40ads_H100_v5", "NVIDIA H100 NVL", True),
    ],
)
def test_product_names(sku: str, product: str, same: bool) -> None:
    family = catalog().family_of_sku(sku)
    assert family is not None
    assert family.is_model(product) is same


def test_every_family_is_consistent() -> None:
    for family in catalog().families:
        assert family.skus or not family.reservable
        assert not (family.key.startswith("ND") and (family.extension or family.reservable))
        assert family.smi_words or family.driver in {Driver.AMD, Driver.UNKNOWN}
        assert all(sku.vcpus > 0 and sku.gpus > 0 for sku in family.skus)


@given(st.sampled_from([name for f in catalog().families for name in f.quota_names]), st.data())
def test_spaces_dashes_and_case_do_not_matter(name: str, data: st.DataObject) -> None:
    letters = [
        data.draw(st.sampled_from(["", " ", "_", "-"]))
        + (c.upper() if data.draw(st.booleans()) else c.lower())
        for c in name
    ]
    assert normalize_family("".join(letters)) == normalize_family(name)
