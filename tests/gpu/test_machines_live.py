"""Evidence from machines of a running cloud: extension, Run Command, what is missing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import EnvironmentName
from gpuplatform.gpu.catalog import catalog
from gpuplatform.gpu.client_machines import Machine, collect_machine, list_gpu_machines
from gpuplatform.gpu.extension import ExtensionStatus
from gpuplatform.gpu.findings import Category, Status
from gpuplatform.gpu.machine import diagnose_machine
from gpuplatform.gpu.verification import verify_environment
from tests.gpu.cloud import fast_settings, make_machine, resource_group

GROUP = "rg-gpu-machines"
T4 = "Standard_NC4as_T4_v3"


pytestmark = pytest.mark.usefixtures("sandbox_env")


@pytest.fixture
def clients() -> Iterator[AzureClients]:
    with AzureClients(settings=fast_settings()) as found:
        yield found


def test_machines_are_found_examined_and_summed_up(clients: AzureClients) -> None:
    with resource_group(clients, GROUP):
        make_machine(clients, GROUP, "vm-bare", T4, driver=False)
        make_machine(clients, GROUP, "vm-cpu", "Standard_D4s_v5", driver=False)
        make_machine(clients, GROUP, "vm-good", T4)
        names = {machine.name for machine in list_gpu_machines(clients, GROUP, catalog())}
        assert names == {"vm-good", "vm-bare"}
        said: list[str] = []
        summary = verify_environment(clients, EnvironmentName.DEV, GROUP, None, said.append)
    verdicts = {verdict.target: verdict for verdict in summary.verdicts}
    good, bare = verdicts["vm-good"], verdicts["vm-bare"]
    assert (good.status, good.seen_gpus, good.model) == (Status.HEALTHY, 1, "Tesla T4")
    assert good.driver
    assert bare.status is Status.FAILING
    assert bare.worst is not None
    assert bare.worst.category in {Category.DRIVER_MISSING, Category.DRIVER_NOT_LOADED}
    assert said == ["vm-good: waiting for the driver extension"]
    assert not summary.proven
    assert summary.message.startswith("2 GPU targets: 1 failing, 1 healthy; worst: vm-bare: ")
    assert "vm-bare" in summary.markdown()


def test_a_stopped_machine_is_not_asked(clients: AzureClients) -> None:
    with resource_group(clients, GROUP):
        make_machine(clients, GROUP, "vm", T4, driver=False)
        clients.compute.virtual_machines.begin_deallocate(GROUP, "vm").result(30)
        evidence = collect_machine(clients, GROUP, Machine("vm", T4, windows=False), print)
    assert evidence.running is False
    assert evidence.output is None
    family, sku = catalog().family_of_sku(T4), catalog().sku(T4)
    assert family is not None
    assert sku is not None
    assert diagnose_machine(evidence, family, sku).status is Status.NOTHING


def test_an_extension_that_does_not_end_meets_the_deadline() -> None:
    hurried = fast_settings(driver_timeout_seconds=0.05)
    with AzureClients(settings=hurried) as clients, resource_group(clients, GROUP):
        make_machine(clients, GROUP, "vm", T4)
        evidence = collect_machine(clients, GROUP, Machine("vm", T4, windows=False), print)
    assert evidence.extension is not None
    assert evidence.extension.status in {ExtensionStatus.TRANSITIONING, ExtensionStatus.NO_STATUS}
    assert evidence.output is None
    assert "did not finish within 0.05 s" in evidence.gaps[0]


def test_a_machine_that_is_gone_is_a_gap_in_the_evidence(clients: AzureClients) -> None:
    evidence = collect_machine(clients, "rg-nowhere", Machine("vm", T4, windows=False), print)
    assert "reading the instance view of vm" in evidence.gaps[0]
    assert evidence.output is None
