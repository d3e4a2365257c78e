"""Kubernetes quantities by value."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpuplatform.tenants.quantities import parse_quantity, same_quantities


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0), ("500m", "0.5"), ("1500m", "1.5"), ("1k", 1000), ("1Ki", 1024), ("64Gi", 64 * 1024**3),
        ("1.5Gi", 1610612736), ("1e3", 1000), ("2E", 2 * 10**18), ("2Ei", 2 * 1024**6), (".5", "0.5"),
        ("-1", -1), ("100n", "0.0000001"), (8, 8),
    ],
)  # fmt: skip
def test_values(text: str | int, value: int | str) -> None:
    assert parse_quantity(text) == Decimal(value)


@pytest.mark.parametrize("text", ["", "eight", "1 Gi", "1gi", "1Gb", "--1", "1e", "Gi", "٣"])
def test_what_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="is not a Kubernetes quantity"):
        parse_quantity(text)


def test_spelling_does_not_matter_and_keys_do() -> None:
    assert same_quantities({"pods": "1000", "cpu": "1"}, {"cpu": "1000m", "pods": "1k"})
    assert not same_quantities({"pods": "1"}, {"pods": "1", "cpu": "1"})
    assert not same_quantities({"pods": "1"}, {"pods": "2"})
