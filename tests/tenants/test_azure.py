"""A cluster in Azure: its pools and network as tenants see them, the group's role, and a whole onboarding."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import EnvironmentName
from gpuplatform.errors import DeadlineExceeded, PlatformError
from gpuplatform.gpu.catalog import catalog
from gpuplatform.tenants.client_azure import ensure_cluster_user, has_network_engine, read_pools
from gpuplatform.tenants.onboarding import onboard_tenant
from gpuplatform.tenants.preparation import prepare_cluster
from gpuplatform.tenants.results import Outcome
from gpuplatform.terraform.outputs import Outputs
from tests.tenants.requests import GROUP, tenant


def test_the_pools_as_tenants_share_them(clients: AzureClients, place: Outputs) -> None:
    pools, notes = read_pools(clients, place.resource_group_name, place.cluster_name, catalog())
    assert notes == ()
    gpu, spot = pools
    assert (gpu.name, gpu.sku, gpu.model, gpu.max_gpus, gpu.spot) == (
        "gpu", "Standard_NC4as_T4_v3", "T4", 2, False,
    )  # fmt: skip
    assert gpu.taints == ("sku=gpu:NoSchedule",)
    assert (spot.spot, spot.max_nodes) == (True, 3)
    assert len(spot.all_taints) == 2


def test_the_network_engine(clients: AzureClients, place: Outputs) -> None:
    assert has_network_engine(clients, place.resource_group_name, place.cluster_name)


def test_a_group_is_let_in_once(clients: AzureClients, place: Outputs) -> None:
    group = str(uuid4())
    assert ensure_cluster_user(clients, place.cluster_id, group, 5, print)
    assert not ensure_cluster_user(clients, place.cluster_id, group, 5, print)


class UnknownGroup:
    """Role assignments of a directory that learns of a group after some calls."""

    def __init__(self, until: int) -> None:
        self.left, self.created = until, 0

    def list_for_scope(self, *_: Any, **__: Any) -> list[Any]:
        return []

    def create(self, *_: Any, **__: Any) -> None:
        from azure.core.exceptions import HttpResponseError  # noqa: PLC0415 - as the SDK raises it

        self.left -= 1
        if self.left >= 0:
            error = HttpResponseError("(PrincipalNotFound) Principal abc does not exist in the directory")
            error.status_code = 400
            raise error
        self.created += 1


class Clients:
    subscription_id = "s"

    def __init__(self, roles: UnknownGroup) -> None:
        self.authorization = type("Authorization", (), {"role_assignments": roles})()


def test_a_new_group_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    naps: list[float] = []
    monkeypatch.setattr("time.sleep", naps.append)
    roles, log = UnknownGroup(3), list[str]()
    fake: Any = Clients(roles)
    assert ensure_cluster_user(fake, "/c", GROUP, 300, log.append)
    assert roles.created == 1
    assert naps == [1.0, 1.5, 2.25]
    assert log == [f"waiting until Azure knows the group {GROUP}"]


def test_a_group_that_nobody_knows_meets_the_deadline() -> None:
    fake: Any = Clients(UnknownGroup(1_000))
    with pytest.raises(DeadlineExceeded) as caught:
        ensure_cluster_user(fake, "/c", GROUP, 0.5, print)
    assert str(caught.value) == f"Azure does not know the group {GROUP} after 0.5 s: check group_object_id"


def test_a_whole_onboarding(clients: AzureClients, place: Outputs) -> None:
    log: list[str] = []
    tenancy = prepare_cluster(clients, EnvironmentName.DEV, place, log.append)
    assert (tenancy.failures, tenancy.notes) == ((), ())
    assert tenancy.kueue_version == "v1beta2"
    request = tenant(team=f"t{uuid4().hex[:8]}", group_object_id=str(uuid4()))
    outcome = onboard_tenant(clients, tenancy, request, log.append)
    assert (outcome.failures, outcome.notes) == ((), ())
    assert {item.outcome for item in outcome.objects} == {Outcome.CREATED}
    assert outcome.objects[-1].kind == "Azure role"

    log.clear()
    again = prepare_cluster(clients, EnvironmentName.DEV, place, log.append)
    assert not again.changed
    assert not onboard_tenant(clients, again, request, log.append).changed
    assert log == []


def test_a_group_that_cannot_be_let_in_costs_the_team_nothing_else(
    clients: AzureClients, place: Outputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> bool:
        raise PlatformError("letting the group in: AuthorizationFailed")

    monkeypatch.setattr("gpuplatform.tenants.onboarding.ensure_cluster_user", refuse)
    tenancy = prepare_cluster(clients, EnvironmentName.DEV, place, print)
    outcome = onboard_tenant(clients, tenancy, tenant(team=f"t{uuid4().hex[:8]}"), print)
    (failure,) = outcome.failures
    assert failure.startswith("Azure role Azure Kubernetes Service Cluster User Role: failed (letting the")
    assert sum(item.outcome is Outcome.CREATED for item in outcome.objects) == 10
