"""What a machine is, and what a program in it answers."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from sandbox.arm.catalog import load_data

__all__ = ["DRIVER_VERSION", "KERNEL", "GpuModel", "Machine", "Output", "gpu_model"]

DRIVER_VERSION = "580.95.05"
CUDA_VERSION = "13.0"
KERNEL = "6.8.0-1041-azure"


@dataclass(frozen=True)
class Output:
    """Of one program: exit code and text."""

    code: int = 0
    stdout: str = ""
    stderr: str = ""


@dataclass(frozen=True)
class Machine:
    """`seed` makes UUIDs and bus ids that are the same every time for one VM."""

    host: str
    gpus: int
    gpu: str | None
    driver_installed: bool
    secure_boot: bool
    seed: str

    @property
    def driver_loaded(self) -> bool:
        """An unsigned module is not loaded under Secure Boot, though its installation succeeds."""
        return self.driver_installed and not self.secure_boot and self.gpus > 0

    def uuid(self, index: int) -> str:
        return f"GPU-{uuid.uuid5(uuid.NAMESPACE_URL, f'{self.seed.lower()}/gpu/{index}')}"


@dataclass(frozen=True)
class GpuModel:
    name: str
    memory_mib: int
    compute_capability: str
    ecc: bool
    mig: bool


def gpu_model(gpu: str | None) -> GpuModel:
    """How NVIDIA's tools name the GPU of the catalogue."""
    for row in load_data("gpu_models.json")["models"]:
        if row["gpu"] == gpu:
            return GpuModel(row["name"], row["memoryMib"], row["computeCapability"], row["ecc"], row["mig"])
    return GpuModel(f"NVIDIA {gpu}", 16384, "7.0", ecc=True, mig=False)
