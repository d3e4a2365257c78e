"""Requests: operations, retries, deadlines, stopping, and the words of errors."""

from __future__ import annotations

import threading
import time

import pytest

from sandbox.terraform_provider.arm import Arm
from sandbox.terraform_provider.credentials import Credentials, Login
from sandbox.terraform_provider.durations import seconds
from sandbox.terraform_provider.errors import ArmError, OperationFailed, ProviderError, Stopped
from sandbox.terraform_provider.transport import Transport
from tests.sandbox.terraform_provider.fake_azure import GROUP, FakeAzure, answer, refusal
from tests.sandbox.terraform_provider.steps import LOGIN, Steps, context_for

PATH = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/vnet"
CONFIG = {"name": "vnet", "location": "eastus", "resource_group_name": "rg", "address_space": ["10.0.0.0/8"]}


def soon() -> float:
    return time.monotonic() + 10


def test_an_operation_is_followed_to_its_end() -> None:
    azure = FakeAzure(polls=3)
    context_for(azure).arm.put(PATH, "1", {}, soon())
    assert azure.polls == 0


def test_a_failed_operation_says_why() -> None:
    error = {"code": "SkuNotAvailable", "message": "The size is not available."}
    azure = FakeAzure(failure={"status": "Failed", "error": error})
    with pytest.raises(OperationFailed) as raised:
        context_for(azure).arm.put(PATH, "1", {}, soon())
    assert str(raised.value).startswith(
        "polling after CreateOrUpdate: polling failed: the Azure API returned"
    )
    assert 'Status: "SkuNotAvailable"' in str(raised.value)


def test_the_deadline_ends_the_wait() -> None:
    azure = FakeAzure(polls=10_000)
    with pytest.raises(ProviderError, match="context deadline exceeded"):
        context_for(azure).arm.put(PATH, "1", {}, time.monotonic() + 0.2)


def test_stopping_lets_an_operation_finish() -> None:
    stop = threading.Event()
    stop.set()
    azure = FakeAzure(polls=3)
    context_for(azure, stop).arm.put(PATH, "1", {}, soon())
    assert azure.polls == 0


def test_stopping_ends_a_longer_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.terraform_provider.arm._STOP_GRACE", 0.1)
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped, match="context canceled"):
        context_for(FakeAzure(polls=10_000), stop).arm.put(PATH, "1", {}, soon())


def test_throttling_is_retried_as_asked() -> None:
    azure = FakeAzure(refusals=[refusal(429, "SubscriptionRequestsThrottled", "slow", {"retry-after": "0"})])
    context_for(azure).arm.put(PATH, "1", {}, soon())
    assert len(azure.sent("PUT")) == 2


def test_retries_are_bounded() -> None:
    throttled = refusal(429, "SubscriptionRequestsThrottled", "slow", {"retry-after": "0"})
    azure = FakeAzure(refusals=[throttled] * 50)
    with pytest.raises(ArmError, match=r"unexpected status 429 \(429 Too Many Requests\)") as raised:
        context_for(azure).arm.get(PATH, "1")
    assert raised.value.code == "SubscriptionRequestsThrottled"
    assert len(azure.requests) == 5


def test_a_conflict_is_not_retried_and_reads_as_azurerm_prints_it() -> None:
    refusals = [refusal(404, "ResourceNotFound", "gone"), refusal(409, "Conflict", "Another operation.")]
    azure = FakeAzure(refusals=refusals)
    with pytest.raises(ProviderError) as raised:
        Steps("azurerm_virtual_network", azure).apply(CONFIG)
    assert str(raised.value) == (
        'creating Virtual Network (Subscription: "00000000-0000-0000-0000-000000000001"\n'
        'Resource Group Name: "rg"\nVirtual Network Name: "vnet"): performing CreateOrUpdate: '
        "unexpected status 409 (409 Conflict) with error: Conflict: Another operation."
    )


def test_a_throttle_body_may_lack_the_outer_error() -> None:
    azure = FakeAzure(refusals=[answer(403, {"code": "Denied", "message": "no"})])
    with pytest.raises(ArmError, match=r"403 Forbidden.*Denied: no"):
        context_for(azure).arm.get(PATH, "1")


def test_relative_operation_urls_are_refused() -> None:
    azure = FakeAzure(refusals=[answer(201, {}, {"azure-asyncoperation": "/subscriptions/x/operations/1"})])
    with pytest.raises(ProviderError, match="URL was not absolute"):
        context_for(azure).arm.put(PATH, "1", {}, soon())


def test_deletion_waits_until_it_is_gone() -> None:
    azure = FakeAzure(resources={PATH: {}})
    azure.refusals = [answer(202, {}), answer(200, {}), refusal(404, "ResourceNotFound", "gone")]
    context_for(azure).arm.delete(PATH, "1", soon())
    assert [r.method for r in azure.requests] == ["DELETE", "GET", "GET"]


def test_one_token_serves_many_requests() -> None:
    azure = FakeAzure(resources={PATH: {}})
    arm = context_for(azure).arm
    arm.get(PATH, "1")
    arm.get(PATH, "1")
    assert azure.token_requests == 1


class Refusing:
    """An Entra ID that knows no such secret."""

    def send(self, *_: object) -> object:
        return answer(401, {"error": "invalid_client", "error_description": "AADSTS7000215: Invalid secret."})


def test_a_refused_login_names_no_secret() -> None:
    with pytest.raises(ProviderError, match="invalid_client: AADSTS7000215") as raised:
        Credentials(LOGIN, Refusing()).token()  # type: ignore[arg-type]  # only `send` is used
    assert "hidden-secret" not in str(raised.value)
    assert "hidden-secret" not in repr(LOGIN)


def test_a_login_needs_all_its_parts() -> None:
    with pytest.raises(ProviderError, match="`subscription_id` is a required provider property"):
        Login.read({}, {})
    with pytest.raises(ProviderError, match="tenant_id, client_id, client_secret not given"):
        Login.read({"subscription_id": "s"}, {})
    environment = {f"ARM_{n}": n for n in ("TENANT_ID", "CLIENT_ID", "CLIENT_SECRET", "SUBSCRIPTION_ID")}
    assert Login.read({"tenant_id": "mine"}, environment).tenant_id == "mine"


def test_a_host_that_does_not_answer_is_named() -> None:
    transport = Transport({"HTTPS_PROXY": "http://127.0.0.1:9"})  # the discard port: nobody listens
    stop = threading.Event()
    with pytest.raises(ProviderError, match=r"obtaining a token from https://login\.microsoftonline\.com"):
        Arm(transport, Credentials(LOGIN, transport), stop).get(PATH, "1")


def test_no_proxy_is_honoured() -> None:
    transport = Transport({"HTTPS_PROXY": "http://user@127.0.0.1:9", "NO_PROXY": "localhost,.example.com"})
    assert transport._proxy_for("management.azure.com") == "127.0.0.1:9"
    assert transport._proxy_for("a.example.com") is None


@pytest.mark.parametrize(("text", "value"), [("90m", 5400.0), ("1h30m", 5400.0), ("500ms", 0.5)])
def test_durations(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "90", "m", "1h 30m"])
def test_bad_durations(text: str) -> None:
    with pytest.raises(ProviderError, match="invalid duration"):
        seconds(text)
