"""What a refusal means for a reading: blind with its reason, or not offered; never an empty success."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError

from gpuplatform.gpu.catalog import catalog
from gpuplatform.quota.client import read_region
from gpuplatform.settings import Settings

NOT_OFFERED = (
    "(NoRegisteredProviderFound) No registered resource provider found for location 'jioindiacentral' and API"
    " version '2020-06-01' for type 'locations/usages'."
)
NOT_REGISTERED = (
    "(MissingSubscriptionRegistration) The subscription is not registered to use Microsoft.Compute."
)
FORBIDDEN = "(AuthorizationFailed) The client does not have authorization to perform action."


def refusal(status: int, text: str) -> HttpResponseError:
    response: Any = SimpleNamespace(status_code=status, reason="", headers={})
    return HttpResponseError(message=text, response=response)


def usage(name: str, limit: int) -> Any:
    return SimpleNamespace(
        name=SimpleNamespace(value=name, localized_value=None), current_value=0, limit=limit
    )


def clients(usages: list[Any], sizes: list[Any]) -> Any:
    """Answers item after item, as a pager does; an error among them is raised when its turn comes."""

    def pager(items: list[Any]) -> Iterator[Any]:
        for item in items:
            if isinstance(item, Exception):
                raise item
            yield item

    return SimpleNamespace(
        subscription_id="s",
        settings=Settings(),
        compute=SimpleNamespace(
            usage=SimpleNamespace(list=lambda *_, **__: pager(usages)),
            resource_skus=SimpleNamespace(list=lambda *_, **__: pager(sizes)),
        ),
    )


def test_a_region_without_compute_is_not_offered() -> None:
    reading = read_region(clients([refusal(400, NOT_OFFERED)], []), "jioindiacentral", catalog())
    assert not reading.offered
    assert reading.blind == ()


@pytest.mark.parametrize(
    ("status", "text"), [(403, FORBIDDEN), (409, NOT_REGISTERED), (429, "slow down"), (503, "down")]
)
def test_a_refusal_is_blind(status: int, text: str) -> None:
    reading = read_region(clients([refusal(status, text)], []), "eastus", catalog())
    assert reading.offered
    assert reading.usages == ()
    assert reading.blind[0].startswith("reading the limits of eastus: ")


def test_a_refusal_on_a_later_page_leaves_no_half_answer() -> None:
    reading = read_region(clients([usage("cores", 10), refusal(403, FORBIDDEN)], []), "eastus", catalog())
    assert reading.usages == ()
    assert "AuthorizationFailed" in reading.blind[0]


def test_no_limits_at_all_is_blind() -> None:
    assert read_region(clients([], []), "eastus", catalog()).blind


def test_without_sizes_the_limits_are_kept_and_the_rest_is_blind() -> None:
    reading = read_region(clients([usage("cores", 10)], [refusal(403, FORBIDDEN)]), "eastus", catalog())
    assert [each.name for each in reading.usages] == ["cores"]
    assert reading.offers is None
    assert reading.blind[0].startswith("reading the sizes of eastus: ")
