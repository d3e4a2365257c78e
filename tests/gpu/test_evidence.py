"""Parsers of what machines answer, on real outputs and their traps."""

from __future__ import annotations

import pytest

from gpuplatform.gpu.extension import ExtensionStatus, is_driver_extension, parse_statuses
from gpuplatform.gpu.failures import classify
from gpuplatform.gpu.findings import Category, Severity
from gpuplatform.gpu.runcommand import parse_message, split_exit_code
from gpuplatform.gpu.smi import GpuReading, parse_list, parse_query
from gpuplatform.gpu.xid import parse_kernel_log

H100_LIST = "\n".join(
    f"GPU {i}: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-00000000000{i})" for i in range(8)
)


def test_a_query_without_header() -> None:
    report = parse_query("0, Tesla T4, 535.161.08, 15360, 0, [N/A]\n")
    assert report.gpus == (GpuReading(0, "Tesla T4", "535.161.08", 15360, 0, None),)
    assert report.other == ()


def test_a_query_with_header_units_and_other_columns() -> None:
    text = (
        "index, uuid, name, driver_version, memory.total [MiB], ecc.errors.uncorrected.volatile.total,"
        " mig.mode.current\n"
        "0, GPU-0, NVIDIA A100 80GB PCIe, 535.230.02, 81920 MiB, 3, Enabled\n"
    )
    assert parse_query(text).gpus == (
        GpuReading(0, "NVIDIA A100 80GB PCIe", "535.230.02", 81920, 3, mig=True),
    )


def test_warnings_between_the_rows_are_kept_apart() -> None:
    report = parse_query(
        "WARNING: infoROM is corrupted at gpu 0001:00:00.0\n"
        "0, Tesla T4, 535.161.08, 15360, [Not Supported], [N/A]\n"
        "00.0, Tesla T4, 535\n"
    )
    assert [gpu.uncorrected for gpu in report.gpus] == [None]
    assert len(report.other) == 2


def test_a_gpu_that_needs_a_reset() -> None:
    row = "0, NVIDIA A100-SXM4-40GB, 535.54.03, 40960, [GPU requires reset], Disabled"
    assert parse_query(row).gpus[0].needs_reset


def test_the_list() -> None:
    report = parse_list(H100_LIST)
    assert len(report.gpus) == 8
    assert {gpu.name for gpu in report.gpus} == {"NVIDIA H100 80GB HBM3"}
    mig = parse_list(
        "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-0)\n  MIG 1g.10gb     Device  0: (UUID: MIG-1)\n"
    )
    assert [gpu.mig for gpu in mig.gpus] == [True]


def test_the_message_of_run_command() -> None:
    output = parse_message("Enable succeeded: \n[stdout]\n0, Tesla T4\nrc=0\n\n[stderr]\nodd\n")
    assert (output.stdout, output.stderr) == ("0, Tesla T4\nrc=0", "odd")
    assert output.recognised
    assert not output.truncated
    assert split_exit_code(output.stdout) == ("0, Tesla T4\n", 0, "")


def test_a_message_cut_at_the_front() -> None:
    output = parse_message("a T4, 535\n1, Tesla T4\nrc=0\n[stderr]\n")
    assert output.stdout == "a T4, 535\n1, Tesla T4\nrc=0"
    assert output.truncated
    assert output.recognised


def test_a_full_buffer_may_be_cut() -> None:
    assert parse_message("Enable succeeded: \n[stdout]\n" + "x" * 4_096 + "\n[stderr]\n").truncated


def test_a_message_of_another_form() -> None:
    output = parse_message("Conflict: run command in progress")
    assert not output.recognised
    assert output.stdout == "Conflict: run command in progress"


@pytest.mark.parametrize("text", ["", "rc=", "xrc=0", "rc=0 and more"])
def test_no_exit_code(text: str) -> None:
    assert split_exit_code(text)[1] is None


NOT_LOADED = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.159"
HANDLE = "Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error"
LOST = "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the system"


@pytest.mark.parametrize(
    ("code", "text", "category"),
    [
        (9, NOT_LOADED, Category.DRIVER_NOT_LOADED),
        (9, "", Category.DRIVER_NOT_LOADED),
        (18, MISMATCH, Category.DRIVER_MISMATCH),
        (6, "No devices were found", Category.NO_DEVICES),
        (0, "No devices were found", Category.NO_DEVICES),
        (255, HANDLE, Category.GPU_FAULT),
        (15, LOST, Category.GPU_LOST),
        (127, "bash: line 1: nvidia-smi: command not found", Category.DRIVER_MISSING),
        (127, "script.sh: 1: nvidia-smi: not found", Category.DRIVER_MISSING),
        (12, "", Category.DRIVER_LIBRARY),
        (14, "", Category.INFOROM),
        (8, "", Category.GPU_FAULT),
        (10, "", Category.GPU_FAULT),
        (4, "", Category.COMMAND),
    ],
)
def test_failures(code: int, text: str, category: Category) -> None:
    finding = classify(code, text)
    assert finding is not None
    assert finding.category is category
    assert finding.severity is Severity.ERROR
    assert finding.resolution


@pytest.mark.parametrize("code", [1, 3, 255, 77])
def test_a_code_without_meaning_is_unknown_and_not_nothing(code: int) -> None:
    finding = classify(code, "gibberish")
    assert finding is not None
    assert finding.severity is Severity.UNKNOWN


def test_success_is_no_failure() -> None:
    assert classify(0, "") is None
    assert classify(None, "") is None


def test_xids() -> None:
    log = (
        "[  549.998327] NVRM: Xid (PCI:0001:00:00): 119, pid=3355, Timeout waiting for RPC from GSP!\n"
        "[  549.998706] NVRM: Xid (PCI:0001:00:00): 119, pid=3355, Timeout waiting for RPC from GSP!\n"
        "NVRM: Xid (PCI:0000:44:00): 79, GPU has fallen off the bus\n"
        "NVRM: Xid (PCI:0000:44:00): 13, Graphics Exception\n"
        "usb 1-1: Xid is a word here\n"
    )
    xids = parse_kernel_log(log)
    assert [(xid.device, xid.number, xid.serious) for xid in xids] == [
        ("0001:00:00", 119, True),
        ("0000:44:00", 79, True),
        ("0000:44:00", 13, False),
    ]


@pytest.mark.parametrize(
    ("statuses", "status", "code"),
    [
        (None, ExtensionStatus.NO_STATUS, None),
        ([], ExtensionStatus.NO_STATUS, None),
        ([("ProvisioningState/succeeded", "Driver installed")], ExtensionStatus.SUCCEEDED, None),
        ([("ProvisioningState/transitioning", "Installing driver")], ExtensionStatus.TRANSITIONING, None),
        ([("ProvisioningState/Creating", None)], ExtensionStatus.TRANSITIONING, None),
        ([("ProvisioningState/failed/14", "Installation failed. Exit code 0")], ExtensionStatus.FAILED, 14),
        ([("ProvisioningState/failed/0", "")], ExtensionStatus.FAILED, 0),
        ([("ProvisioningState/failed/-1", "")], ExtensionStatus.FAILED, -1),
        ([("ComponentStatus/x", ""), ("ProvisioningState/succeeded", "")], ExtensionStatus.SUCCEEDED, None),
        ([("SomethingElse", "new")], ExtensionStatus.UNKNOWN, None),
        ([(None, None)], ExtensionStatus.UNKNOWN, None),
    ],
)
def test_extension_states(
    statuses: list[tuple[str | None, str | None]] | None, status: ExtensionStatus, code: int | None
) -> None:
    state = parse_statuses(statuses)
    assert (state.status, state.exit_code) == (status, code)


def test_which_extension_is_the_drivers() -> None:
    assert is_driver_extension("Microsoft.HpcCompute.NvidiaGpuDriverLinux", "gpu")
    assert is_driver_extension("NvidiaGpuDriverLinux", "anything")
    assert is_driver_extension(None, "NvidiaGpuDriverLinux")
    assert not is_driver_extension("Microsoft.Azure.Extensions.customScript", "NvidiaGpuDriverLinux")
