"""The state of a GPU driver extension, from the instance view of its machine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["DRIVER_EXTENSIONS", "ExtensionState", "ExtensionStatus", "is_driver_extension", "parse_statuses"]

DRIVER_EXTENSIONS = frozenset({"nvidiagpudriverlinux", "nvidiagpudriverwindows"})
"""Type names, lower-cased, of publisher `Microsoft.HpcCompute`."""

_CODE = re.compile(r"ProvisioningState/([A-Za-z]+)(?:/(-?\d+))?$", re.IGNORECASE)


class ExtensionStatus(StrEnum):
    """Where an extension is."""

    SUCCEEDED = "succeeded"
    TRANSITIONING = "transitioning"
    FAILED = "failed"
    NO_STATUS = "no status"
    """Known to Azure, but the agent on the machine has reported nothing yet."""
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ExtensionState:
    """The latest that the machine's agent reported about the extension."""

    status: ExtensionStatus
    exit_code: int | None = None
    """From `ProvisioningState/failed/14`; it may be 0 for a failure."""
    message: str = ""
    version: str = ""

    @property
    def settled(self) -> bool:
        """Whether waiting longer changes nothing."""
        return self.status in {ExtensionStatus.SUCCEEDED, ExtensionStatus.FAILED, ExtensionStatus.UNKNOWN}


def is_driver_extension(extension_type: str | None, name: str | None = None) -> bool:
    """Whether this is the NVIDIA driver extension; the agent reports `Microsoft.HpcCompute.<type>`."""
    if extension_type:
        return extension_type.rsplit(".", 1)[-1].lower() in DRIVER_EXTENSIONS
    return (name or "").lower() in DRIVER_EXTENSIONS


def parse_statuses(
    statuses: Iterable[tuple[str | None, str | None]] | None, version: str = ""
) -> ExtensionState:
    """The state from `(code, message)` pairs; None or none of them is `no status`, another code unknown."""
    pairs = list(statuses or ())
    if not pairs:
        return ExtensionState(ExtensionStatus.NO_STATUS, version=version)
    for code, message in pairs:
        match = _CODE.match(code or "")
        if match is None:
            continue
        state = match[1].lower()
        known = {"succeeded", "transitioning", "failed"}
        status = ExtensionStatus(state) if state in known else ExtensionStatus.UNKNOWN
        if state in {"creating", "updating", "new"}:
            status = ExtensionStatus.TRANSITIONING
        return ExtensionState(status, int(match[2]) if match[2] else None, (message or "").strip(), version)
    return ExtensionState(ExtensionStatus.UNKNOWN, message=f"{pairs[0][0]}: {pairs[0][1]}", version=version)
