"""What nvidia-smi means when it fails: by its exit code, and by its words where the code is not enough."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuplatform.gpu.findings import Category, Finding, Severity
from gpuplatform.scrubbing import cap

__all__ = ["classify"]


@dataclass(frozen=True)
class _Failure:
    category: Category
    summary: str
    resolution: str


_REBOOT = "Restart the machine; if it comes back, deallocate it (it then gets other hardware) and tell Azure."
_INSTALL = (
    "Install the driver: the NvidiaGpuDriverLinux extension on NC and NV sizes, an HPC image on ND, H100 and"
    " later. Secure Boot must be off."
)

_NOT_FOUND = _Failure(Category.DRIVER_MISSING, "nvidia-smi is not installed", _INSTALL)
_NOT_LOADED = _Failure(
    Category.DRIVER_NOT_LOADED,
    "the NVIDIA kernel driver is not loaded",
    "Check Secure Boot (unsigned modules are refused) and that the driver was built for the running kernel.",
)
_MISMATCH = _Failure(
    Category.DRIVER_MISMATCH,
    "the kernel driver and the user-space libraries have different versions",
    "Restart the machine: an unattended upgrade replaced the libraries under the loaded module.",
)
_NO_DEVICES = _Failure(
    Category.NO_DEVICES, "the driver sees no GPU", "Check the size of the machine, then restart it."
)
_LOST = _Failure(Category.GPU_LOST, "a GPU has fallen off the bus", _REBOOT)
_HANDLE = _Failure(Category.GPU_FAULT, "a GPU does not answer the driver", _REBOOT)

_BY_CODE = {
    4: _Failure(Category.COMMAND, "nvidia-smi was not permitted", "Run it as root."),
    6: _NO_DEVICES,
    8: _Failure(Category.GPU_FAULT, "a GPU has a power cable problem", _REBOOT),
    9: _NOT_LOADED,
    10: _Failure(Category.GPU_FAULT, "the kernel found an interrupt problem with a GPU", _REBOOT),
    12: _Failure(Category.DRIVER_LIBRARY, "the NVML library cannot be found or loaded", _INSTALL),
    13: _Failure(Category.DRIVER_LIBRARY, "the NVML library is too old for this nvidia-smi", _INSTALL),
    14: _Failure(Category.INFOROM, "the infoROM of a GPU is corrupt", _REBOOT),
    15: _LOST,
    18: _MISMATCH,
    127: _NOT_FOUND,
    9009: _NOT_FOUND,  # Windows
}
"""Exit codes of nvidia-smi (its manual page) and of the shell."""

_BY_TEXT = (
    (re.compile(r"nvidia-smi.*not found|not recognized as", re.IGNORECASE), _NOT_FOUND),
    (re.compile(r"couldn't communicate with the NVIDIA driver", re.IGNORECASE), _NOT_LOADED),
    (re.compile(r"Driver/library version mismatch", re.IGNORECASE), _MISMATCH),
    (re.compile(r"GPU is lost|fallen off the bus", re.IGNORECASE), _LOST),
    (re.compile(r"Unable to determine the device handle", re.IGNORECASE), _HANDLE),
    (re.compile(r"No devices were found", re.IGNORECASE), _NO_DEVICES),
    (re.compile(r"infoROM is corrupted", re.IGNORECASE), _BY_CODE[14]),
)


def classify(exit_code: int | None, text: str) -> Finding | None:
    """What went wrong, or None where neither the code nor the text says that something did.

    The text goes first: code 255 says nothing, and "GPU is lost" comes with several codes. An exit code
    that is not 0 and has no meaning here is a finding of its own, never nothing.
    """
    seen = cap(" ".join(text.split()), 300)
    detail = f"exit code {exit_code}: {seen}" if exit_code is not None else seen
    failure = next((failure for pattern, failure in _BY_TEXT if pattern.search(text)), None)
    if failure is None and exit_code:
        failure = _BY_CODE.get(exit_code)
        if failure is None:
            return Finding(
                category=Category.OUTPUT_UNKNOWN,
                severity=Severity.UNKNOWN,
                summary=f"nvidia-smi ended with code {exit_code}, which says nothing",
                detail=detail,
                resolution="Sign in to the machine and run nvidia-smi there.",
            )
    if failure is None:
        return None
    return Finding(
        category=failure.category,
        severity=Severity.ERROR,
        summary=failure.summary,
        detail=detail,
        resolution=failure.resolution,
    )
