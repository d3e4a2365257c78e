"""The diagnosis of one virtual machine with GPUs: evidence in, verdict out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpuplatform.gpu.catalog import Driver, GpuFamily, GpuSku
from gpuplatform.gpu.extension import ExtensionState, ExtensionStatus
from gpuplatform.gpu.failures import classify
from gpuplatform.gpu.findings import Category, Finding, Kind, Severity, Verdict, verdict
from gpuplatform.gpu.runcommand import CommandOutput, split_exit_code
from gpuplatform.gpu.smi import GpuReading, SmiReport, parse_query
from gpuplatform.gpu.xid import SERIOUS, parse_kernel_log
from gpuplatform.scrubbing import cap

__all__ = ["MachineEvidence", "diagnose_machine"]


@dataclass(frozen=True)
class MachineEvidence:
    """What could be collected about one machine; None is evidence that is missing."""

    name: str
    sku: str
    running: bool | None = None
    agent_ready: bool | None = None
    extension: ExtensionState | None = None
    """None: the machine has no NVIDIA driver extension."""
    output: CommandOutput | None = None
    """What the query on the machine printed."""
    gaps: tuple[str, ...] = ()
    """Why evidence is missing, a sentence each."""


@dataclass(frozen=True)
class _Reading:
    exit_code: int | None
    report: SmiReport


def diagnose_machine(evidence: MachineEvidence, family: GpuFamily, sku: GpuSku) -> Verdict:
    """The verdict on a machine, in the order exit code, count, model, driver, ECC, MIG, Xid.

    The evidence of the machine itself outranks the extension: "succeeded" does not mean that the GPU works.
    """
    if evidence.running is False:
        stopped = Finding(
            category=Category.STOPPED, severity=Severity.INFO, summary="the machine is not running"
        )
        return verdict(Kind.MACHINE, evidence.name, sku.name, [stopped], expected_gpus=sku.devices)
    findings = list(_agent(evidence)) + list(_extension(evidence, family))
    reading = None
    if family.driver is Driver.AMD:
        findings.append(
            Finding(
                category=Category.EVIDENCE_MISSING,
                severity=Severity.UNKNOWN,
                summary=f"AMD GPUs ({family.model}) are not examined",
            )
        )
    elif evidence.output is None:
        findings += [
            Finding(
                category=Category.EVIDENCE_MISSING,
                severity=Severity.UNKNOWN,
                summary="nvidia-smi could not be asked",
                detail=cap("; ".join(evidence.gaps), 600),
            )
        ]
    else:
        reading = _read(evidence.output)
        findings += _driver(evidence.output, reading, family, sku)
    gpus = reading.report.gpus if reading else ()
    return verdict(
        Kind.MACHINE,
        evidence.name,
        sku.name,
        findings,
        expected_gpus=sku.devices,
        seen_gpus=len(gpus) if reading and (gpus or reading.exit_code == 0) else None,
        model=gpus[0].name if gpus else family.model,
        driver=gpus[0].driver if gpus else None,
    )


def _agent(evidence: MachineEvidence) -> Iterator[Finding]:
    if evidence.agent_ready is False:
        yield Finding(
            category=Category.AGENT,
            severity=Severity.UNKNOWN,
            summary="the agent on the machine does not report",
            resolution="Wait for the machine to start; then check walinuxagent on it.",
        )


def _extension(evidence: MachineEvidence, family: GpuFamily) -> Iterator[Finding]:
    state = evidence.extension
    if state is None:
        return
    if not family.extension:
        yield Finding(
            category=Category.EXTENSION_UNSUITABLE,
            severity=Severity.WARNING,
            summary=f"the NVIDIA driver extension is not meant for {family.model}",
            resolution="Use an image with the driver, such as Ubuntu-HPC, and remove the extension.",
        )
    detail = cap(state.message, 600)
    if state.status is ExtensionStatus.FAILED:
        code = "" if state.exit_code is None else f" (code {state.exit_code})"
        yield Finding(
            category=Category.EXTENSION_FAILED,
            severity=Severity.ERROR,
            summary=f"the driver extension failed{code}",
            detail=detail,
            resolution="Read /var/log/azure/nvidia-vmext-status and the log beside it on the machine; check"
            " Secure Boot and the kernel version, then delete the extension and add it again.",
        )
    elif state.status in {ExtensionStatus.TRANSITIONING, ExtensionStatus.NO_STATUS}:
        yield Finding(
            category=Category.EXTENSION_PENDING,
            severity=Severity.UNKNOWN,
            summary=f"the driver extension is not finished ({state.status.value})",
            detail=detail,
            resolution="An install takes about 12 minutes and gives up after 20. One that never ends often"
            " waits for a Secure Boot key password: turn Secure Boot off.",
        )
    elif state.status is ExtensionStatus.UNKNOWN:
        yield Finding(
            category=Category.EXTENSION_PENDING,
            severity=Severity.UNKNOWN,
            summary="the driver extension reports a state that is not known",
            detail=detail,
        )


def _read(output: CommandOutput) -> _Reading:
    text, exit_code, _ = split_exit_code(output.stdout)
    return _Reading(exit_code, parse_query(text))


def _driver(output: CommandOutput, reading: _Reading, family: GpuFamily, sku: GpuSku) -> Iterator[Finding]:
    gpus, other = reading.report.gpus, reading.report.other
    failure = classify(reading.exit_code, "\n".join([*other, output.stderr]))
    if failure is not None:
        warned = failure.category is Category.INFOROM and reading.exit_code == 0 and gpus
        yield failure.model_copy(update={"severity": Severity.WARNING}) if warned else failure
    elif reading.exit_code is None or not gpus:
        yield Finding(
            category=Category.OUTPUT_TRUNCATED if output.truncated else Category.OUTPUT_UNKNOWN,
            severity=Severity.UNKNOWN,
            summary="the answer of the machine is not understood",
            detail=cap(output.stdout or output.stderr or "(empty)", 600),
            resolution="Sign in to the machine and run nvidia-smi there.",
        )
    if gpus:
        if len(gpus) < sku.devices and output.truncated:
            yield Finding(
                category=Category.OUTPUT_TRUNCATED,
                severity=Severity.UNKNOWN,
                summary=f"the answer is cut: {len(gpus)} of {sku.devices} GPUs are in what is left of it",
            )
        elif len(gpus) != sku.devices:
            yield Finding(
                category=Category.GPU_COUNT,
                severity=Severity.ERROR,
                summary=f"{len(gpus)} of {sku.devices} GPUs are there",
                detail=", ".join(f"{gpu.index}: {gpu.name}" for gpu in gpus),
                resolution="Deallocate and start the machine (it then gets other hardware); tell Azure.",
            )
        yield from _gpus(gpus, family)
    yield from _xids(output)


def _gpus(gpus: tuple[GpuReading, ...], family: GpuFamily) -> Iterator[Finding]:
    wrong = sorted({gpu.name for gpu in gpus if not family.is_model(gpu.name)})
    if wrong:
        yield Finding(
            category=Category.GPU_MODEL,
            severity=Severity.ERROR,
            summary=f"expected {family.model}, found {', '.join(wrong)}",
        )
    versions = sorted({gpu.driver or "none" for gpu in gpus})
    if len(versions) > 1 or not re.fullmatch(r"\d+\.\d+(\.\d+)?", versions[0]):
        yield Finding(
            category=Category.DRIVER_VERSION,
            severity=Severity.UNKNOWN,
            summary=f"the driver's version is not clear: {', '.join(versions)}",
        )
    for gpu in gpus:
        if gpu.uncorrected or gpu.needs_reset:
            what = f"{gpu.uncorrected} uncorrected memory errors" if gpu.uncorrected else "needs a reset"
            yield Finding(
                category=Category.ECC,
                severity=Severity.ERROR,
                summary=f"GPU {gpu.index}: {what}",
                resolution="Drain the machine and reset the GPU; if errors come back, exchange the machine.",
            )
    if any(gpu.mig for gpu in gpus):
        yield Finding(
            category=Category.MIG,
            severity=Severity.INFO,
            summary=f"MIG is on for {sum(1 for gpu in gpus if gpu.mig)} of {len(gpus)} GPUs",
        )


def _xids(output: CommandOutput) -> Iterator[Finding]:
    for xid in parse_kernel_log(output.stdout):
        # Most other Xids are faults that an application caused: worth knowing, not a broken GPU.
        yield Finding(
            category=Category.XID,
            severity=Severity.ERROR if xid.serious else Severity.INFO,
            summary=f"Xid {xid.number} on {xid.device}: {SERIOUS.get(xid.number, 'application fault')}",
            detail=cap(xid.text, 300),
            resolution="Drain the machine, then restart it; if the Xid comes back, exchange it."
            if xid.serious
            else "",
        )
