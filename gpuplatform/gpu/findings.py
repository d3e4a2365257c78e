"""What a check of GPUs says: findings with a stable category, and the verdict on one target."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

__all__ = ["Category", "Finding", "Kind", "Severity", "Status", "Verdict", "verdict"]


class Severity(StrEnum):
    """How much a finding says about the GPUs."""

    INFO = "info"
    """Worth knowing; the GPUs work."""
    WARNING = "warning"
    """The GPUs work, but something around them is not as it should be."""
    UNKNOWN = "unknown"
    """Evidence is missing or not understood: nothing is proven."""
    ERROR = "error"
    """The GPUs, or some of them, do not work as the size promises."""


class Status(StrEnum):
    """The verdict on one target. Only `healthy` and `degraded` mean that the GPUs work."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    UNKNOWN = "unknown"
    FAILING = "failing"
    NOTHING = "nothing to verify"


class Kind(StrEnum):
    """What was checked."""

    POOL = "node pool"
    NODE = "node"
    MACHINE = "virtual machine"


class Category(StrEnum):
    """What a finding is about. The values are stable: dashboards and alerts may depend on them."""

    DRIVER_MISSING = "driver-missing"
    DRIVER_NOT_LOADED = "driver-not-loaded"
    DRIVER_LIBRARY = "driver-library"
    DRIVER_MISMATCH = "driver-mismatch"
    DRIVER_VERSION = "driver-version"
    INFOROM = "inforom-corrupt"
    GPU_LOST = "gpu-lost"
    GPU_FAULT = "gpu-fault"
    NO_DEVICES = "no-devices"
    GPU_COUNT = "gpu-count"
    GPU_MODEL = "gpu-model"
    ECC = "ecc-uncorrected"
    MIG = "mig-enabled"
    XID = "xid"
    EXTENSION_FAILED = "extension-failed"
    EXTENSION_PENDING = "extension-pending"
    EXTENSION_MISSING = "extension-missing"
    EXTENSION_UNSUITABLE = "extension-unsuitable"
    AGENT = "agent-not-ready"
    STOPPED = "machine-stopped"
    COMMAND = "command-failed"
    OUTPUT_UNKNOWN = "output-unknown"
    OUTPUT_TRUNCATED = "output-truncated"
    EVIDENCE_MISSING = "evidence-missing"
    SKU_UNKNOWN = "sku-unknown"
    CPU_SKU = "cpu-sku-in-gpu-pool"
    SKU_MISMATCH = "sku-mismatch"
    POOL_FAILED = "pool-failed"
    POOL_EMPTY = "pool-empty"
    NODES_MISSING = "nodes-missing"
    NODE_NOT_READY = "node-not-ready"
    NODE_CONDITION = "node-condition"
    NODE_CORDONED = "node-cordoned"
    DEVICE_PLUGIN = "device-plugin-missing"
    GPU_ALLOCATABLE = "gpu-allocatable"
    LABELS = "labels-missing"
    TAINT = "taint-missing"


class Finding(BaseModel):
    """One thing that a check found, and what to do about it."""

    model_config = ConfigDict(frozen=True)

    category: Category
    severity: Severity
    summary: str
    """One line."""
    detail: str = ""
    """What was seen, scrubbed and capped."""
    resolution: str = ""
    """What to do; empty where there is nothing to do."""


class Verdict(BaseModel):
    """What the evidence says about one machine, node or pool."""

    model_config = ConfigDict(frozen=True)

    kind: Kind
    target: str
    sku: str
    status: Status
    expected_gpus: int | None = None
    seen_gpus: int | None = None
    model: str | None = None
    driver: str | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def worst(self) -> Finding | None:
        """The first of the most severe findings."""
        ranked = [finding for severity in _RANK for finding in self.findings if finding.severity is severity]
        return ranked[0] if ranked else None

    @property
    def summary(self) -> str:
        """One line: the worst finding, or that the GPUs are there."""
        if self.status is Status.HEALTHY:
            return f"{self.seen_gpus} of {self.expected_gpus} GPUs"
        return self.worst.summary if self.worst else self.status.value


_RANK = (Severity.ERROR, Severity.UNKNOWN, Severity.WARNING, Severity.INFO)
_IDLE = frozenset({Category.POOL_EMPTY, Category.STOPPED})


def verdict(
    kind: Kind,
    target: str,
    sku: str,
    findings: list[Finding],
    *,
    expected_gpus: int | None = None,
    seen_gpus: int | None = None,
    model: str | None = None,
    driver: str | None = None,
) -> Verdict:
    """The verdict that the findings amount to.

    Healthy has to be earned: without a count of the GPUs that were seen it is unknown.
    """
    severities = {finding.severity for finding in findings}
    if Severity.ERROR in severities:
        status = Status.FAILING
    elif Severity.UNKNOWN in severities:
        status = Status.UNKNOWN
    elif any(finding.category in _IDLE for finding in findings):
        status = Status.NOTHING
    elif seen_gpus is None or expected_gpus is None:
        status = Status.UNKNOWN
    else:
        status = Status.DEGRADED if Severity.WARNING in severities else Status.HEALTHY
    return Verdict(
        kind=kind,
        target=target,
        sku=sku,
        status=status,
        expected_gpus=expected_gpus,
        seen_gpus=seen_gpus,
        model=model,
        driver=driver,
        findings=tuple(findings),
    )
