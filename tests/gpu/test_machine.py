"""The verdict on a machine: healthy is earned, never assumed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuplatform.gpu.catalog import GpuFamily, GpuSku, catalog
from gpuplatform.gpu.extension import ExtensionState, ExtensionStatus
from gpuplatform.gpu.findings import Category, Status, Verdict
from gpuplatform.gpu.machine import MachineEvidence, diagnose_machine
from gpuplatform.gpu.runcommand import parse_message

SUCCEEDED = ExtensionState(ExtensionStatus.SUCCEEDED)
T4 = "0, Tesla T4, 535.161.08, 15360, 0, [N/A]\nrc=0\n"


def facts(name: str) -> tuple[GpuFamily, GpuSku]:
    family, sku = catalog().family_of_sku(name), catalog().sku(name)
    assert family is not None
    assert sku is not None
    return family, sku


def evidence(stdout: str, sku: str = "Standard_NC4as_T4_v3", stderr: str = "") -> MachineEvidence:
    output = parse_message(f"Enable succeeded: \n[stdout]\n{stdout}\n[stderr]\n{stderr}")
    return MachineEvidence("vm", sku, running=True, agent_ready=True, extension=SUCCEEDED, output=output)


def diagnose(seen: MachineEvidence) -> Verdict:
    return diagnose_machine(seen, *facts(seen.sku))


def categories(verdict: Verdict) -> set[Category]:
    return {finding.category for finding in verdict.findings}


def test_a_healthy_machine() -> None:
    verdict = diagnose(evidence(T4))
    assert verdict.status is Status.HEALTHY
    assert verdict.findings == ()
    assert (verdict.expected_gpus, verdict.seen_gpus, verdict.driver) == (1, 1, "535.161.08")


def test_eight_gpus_fit_into_what_run_command_keeps() -> None:
    rows = "".join(f"{i}, NVIDIA A100-SXM4-40GB, 535.230.02, 40960, 0, Disabled\n" for i in range(8))
    assert (
        diagnose(replace(evidence(rows + "rc=0", "Standard_ND96asr_v4"), extension=None)).status
        is Status.HEALTHY
    )


@pytest.mark.parametrize(
    ("stdout", "stderr", "category", "status"),
    [
        ("rc=9\n", "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
         Category.DRIVER_NOT_LOADED, Status.FAILING),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n\nrc=9\n", "",
         Category.DRIVER_NOT_LOADED, Status.FAILING),
        ("rc=127\n", "script.sh: 1: nvidia-smi: not found", Category.DRIVER_MISSING, Status.FAILING),
        ("No devices were found\nrc=6\n", "", Category.NO_DEVICES, Status.FAILING),
        (T4.replace("Tesla T4", "Tesla V100-PCIE-16GB"), "", Category.GPU_MODEL, Status.FAILING),
        (T4.replace("15360, 0", "15360, 2"), "", Category.ECC, Status.FAILING),
        (T4.replace("535.161.08", "[N/A]"), "", Category.DRIVER_VERSION, Status.UNKNOWN),
        (T4 + "NVRM: Xid (PCI:0000:44:00): 79, it is gone\n", "", Category.XID, Status.FAILING),
        (T4 + "NVRM: Xid (PCI:0000:44:00): 31, MMU Fault\n", "", Category.XID, Status.HEALTHY),
        ("WARNING: infoROM is corrupted at gpu 0001:00:00.0\n" + T4, "", Category.INFOROM, Status.DEGRADED),
        ("", "", Category.OUTPUT_UNKNOWN, Status.UNKNOWN),
        ("everything is fine\nrc=0\n", "", Category.OUTPUT_UNKNOWN, Status.UNKNOWN),
        (T4.replace("rc=0\n", ""), "", Category.OUTPUT_UNKNOWN, Status.UNKNOWN),
        ("rc=77\n", "", Category.OUTPUT_UNKNOWN, Status.UNKNOWN),
    ],
)  # fmt: skip
def test_what_the_machine_says(stdout: str, stderr: str, category: Category, status: Status) -> None:
    verdict = diagnose(evidence(stdout, stderr=stderr))
    assert category in categories(verdict)
    assert verdict.status is status


def test_a_missing_gpu_is_counted() -> None:
    row = "0, NVIDIA A100 80GB PCIe, 535.230.02, 81920, 0, Disabled\n"
    lost = "Unable to determine the device handle for GPU 0002:00:00.0: Unknown Error\n"
    verdict = diagnose(evidence(f"{row}{lost}rc=255", "Standard_NC48ads_A100_v4"))
    assert verdict.status is Status.FAILING
    assert {Category.GPU_FAULT, Category.GPU_COUNT} <= categories(verdict)
    assert (verdict.expected_gpus, verdict.seen_gpus) == (2, 1)


def test_a_cut_answer_proves_nothing_about_the_count() -> None:
    seen = evidence("rc=0", "Standard_NC48ads_A100_v4")
    cut = parse_message(
        "VIDIA A100\n1, NVIDIA A100 80GB PCIe, 535.230.02, 81920, 0, Disabled\nrc=0\n[stderr]\n"
    )
    verdict = diagnose(replace(seen, output=cut))
    assert verdict.status is Status.UNKNOWN
    assert Category.OUTPUT_TRUNCATED in categories(verdict)


@pytest.mark.parametrize(
    ("state", "status", "category"),
    [
        (ExtensionState(ExtensionStatus.FAILED, 14, "Installation failed. Exit code 0"), Status.FAILING,
         Category.EXTENSION_FAILED),
        (ExtensionState(ExtensionStatus.TRANSITIONING), Status.UNKNOWN, Category.EXTENSION_PENDING),
        (ExtensionState(ExtensionStatus.NO_STATUS), Status.UNKNOWN, Category.EXTENSION_PENDING),
        (ExtensionState(ExtensionStatus.UNKNOWN), Status.UNKNOWN, Category.EXTENSION_PENDING),
    ],
)  # fmt: skip
def test_extension_states(state: ExtensionState, status: Status, category: Category) -> None:
    verdict = diagnose(MachineEvidence("vm", "Standard_NC4as_T4_v3", running=True, extension=state))
    assert verdict.status is status
    assert category in categories(verdict)


def test_an_extension_that_succeeded_proves_nothing() -> None:
    verdict = diagnose(
        MachineEvidence("vm", "Standard_NC4as_T4_v3", extension=SUCCEEDED, gaps=("no answer",))
    )
    assert verdict.status is Status.UNKNOWN
    assert verdict.worst is not None
    assert verdict.worst.detail == "no answer"


def test_the_extension_is_not_meant_for_nd_machines() -> None:
    row = "".join(f"{i}, NVIDIA H100 80GB HBM3, 550.54.15, 81559, 0, Disabled\n" for i in range(8))
    verdict = diagnose(evidence(row + "rc=0", "Standard_ND96isr_H100_v5"))
    assert verdict.status is Status.DEGRADED
    assert categories(verdict) == {Category.EXTENSION_UNSUITABLE}


def test_a_stopped_machine_is_nothing_to_verify() -> None:
    verdict = diagnose(MachineEvidence("vm", "Standard_NC4as_T4_v3", running=False))
    assert verdict.status is Status.NOTHING


def test_amd_is_not_called_healthy() -> None:
    verdict = diagnose(MachineEvidence("vm", "Standard_ND96isr_MI300X_v5", running=True))
    assert verdict.status is Status.UNKNOWN


def test_a_machine_without_agent() -> None:
    verdict = diagnose(MachineEvidence("vm", "Standard_NC4as_T4_v3", agent_ready=False))
    assert Category.AGENT in categories(verdict)
    assert verdict.status is Status.UNKNOWN
