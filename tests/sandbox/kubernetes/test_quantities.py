"""Quantities become what the API server would write."""

from __future__ import annotations

import pytest

from sandbox.kubernetes.quantities import QuantityError, add, canonical, subtract


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", "1"),
        ("1000", "1k"),
        ("1.5", "1500m"),
        ("0.5Gi", "512Mi"),
        ("1024Ki", "1Mi"),
        ("1000Ki", "1000Ki"),
        ("1e3", "1e3"),
        ("100m", "100m"),
        ("1000m", "1"),
        ("0", "0"),
        ("-1", "-1"),
        ("1500Mi", "1500Mi"),
    ],
)
def test_canonical(text: str, expected: str) -> None:
    assert canonical(text) == expected


@pytest.mark.parametrize("text", ["", "eight", "8GB", "1.5.2", "1 Gi", "Gi"])
def test_refuses_what_is_no_quantity(text: str) -> None:
    with pytest.raises(QuantityError, match="must match the regular expression"):
        canonical(text)


def test_sums_keep_the_form() -> None:
    assert add("1Gi", "512Mi") == "1536Mi"
    assert add("0", "1Gi") == "1Gi"
    assert subtract("2", "500m") == "1500m"
