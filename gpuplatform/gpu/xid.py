"""Xid errors: what the NVIDIA kernel driver reports about a GPU in the kernel log."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["SERIOUS", "Xid", "parse_kernel_log"]

SERIOUS = {
    48: "uncorrectable memory error",
    56: "display engine error",
    57: "video memory programming error",
    58: "unstable video memory",
    62: "internal micro-controller halted",
    63: "memory row remapping or page retirement",
    64: "memory row remapping failed",
    65: "video processor error",
    68: "video decoder error",
    69: "graphics engine class error",
    73: "video encoder error",
    74: "NVLink error",
    79: "GPU has fallen off the bus",
    80: "corrupted data sent to the GPU",
    81: "VGA subsystem error",
    92: "high rate of corrected memory errors",
    119: "GPU system processor does not answer",
    120: "GPU system processor error",
}
"""The Xids that mean a broken GPU; others (13, 31, 43, 45 …) are mostly faults of an application."""

_LINE = re.compile(r"NVRM: Xid \(PCI:([0-9A-Fa-f:.]+)\): (\d+)(?:,\s*(.*))?$")


@dataclass(frozen=True)
class Xid:
    """One Xid: on which PCI device, its number, and the driver's words."""

    device: str
    number: int
    text: str

    @property
    def serious(self) -> bool:
        return self.number in SERIOUS


def parse_kernel_log(text: str) -> tuple[Xid, ...]:
    """The Xids in lines of `dmesg` or the journal, in order, each device and number once."""
    found: dict[tuple[str, int], Xid] = {}
    for line in text.splitlines():
        if match := _LINE.search(line.strip()):
            xid = Xid(match[1], int(match[2]), (match[3] or "").strip())
            found.setdefault((xid.device, xid.number), xid)
    return tuple(found.values())
