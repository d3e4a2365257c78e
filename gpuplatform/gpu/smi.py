"""nvidia-smi's texts as data: the CSV of a query, the list of `-L`, and what it says when it fails."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["QUERY_FIELDS", "GpuReading", "SmiReport", "parse_list", "parse_query"]

QUERY_FIELDS = (
    "index",
    "name",
    "driver_version",
    "memory.total",
    "ecc.errors.uncorrected.volatile.total",
    "mig.mode.current",
)
"""What is asked of every GPU: eight GPUs must fit into the 4,096 bytes that Run Command keeps."""

_ABSENT = frozenset({"", "n/a", "not supported", "unknown error", "gpu requires reset"})
_LIST_LINE = re.compile(r"GPU (\d+): (.+?) \(UUID: ([^)]+)\)$")
_MIG_LINE = re.compile(r"MIG (\S+)\s+Device\s+(\d+): \(UUID: ([^)]+)\)$")


@dataclass(frozen=True)
class GpuReading:
    """One GPU as nvidia-smi reports it; None where it has no value (`[N/A]`) or was not asked."""

    index: int
    name: str
    driver: str | None = None
    memory_mib: int | None = None
    uncorrected: int | None = None
    """Uncorrected ECC errors since the last reset."""
    mig: bool | None = None
    needs_reset: bool = False


@dataclass(frozen=True)
class SmiReport:
    """The GPUs of one output, and the lines that are no GPU (warnings, errors, a cut first line)."""

    gpus: tuple[GpuReading, ...]
    other: tuple[str, ...]


def parse_query(text: str, fields: Sequence[str] = QUERY_FIELDS) -> SmiReport:
    """The CSV of `--query-gpu=…`, with or without header and units.

    A header line names the columns; without one they are `fields`. A line with another number of columns
    or no index is not a GPU and is kept as it is: nvidia-smi mixes warnings into its standard output.
    """
    gpus, other = [], []
    for line in (line.strip() for line in text.splitlines()):
        if not line:
            continue
        cells = [part.strip() for part in line.split(",")]
        if cells[0] == "index" and len(cells) > 1:
            fields = [part.split(" [")[0] for part in cells]
            continue
        if len(cells) != len(fields) or not cells[0].isdigit():
            other.append(line)
            continue
        gpus.append(_reading(dict(zip(fields, cells, strict=True))))
    return SmiReport(tuple(gpus), tuple(other))


def parse_list(text: str) -> SmiReport:
    """The output of `nvidia-smi -L`; a MIG instance below a GPU marks that GPU."""
    gpus: list[GpuReading] = []
    other = []
    for line in (line.strip() for line in text.splitlines()):
        if match := _LIST_LINE.match(line):
            gpus.append(GpuReading(int(match[1]), match[2], mig=False))
        elif _MIG_LINE.match(line) and gpus:
            gpus[-1] = GpuReading(gpus[-1].index, gpus[-1].name, mig=True)
        elif line:
            other.append(line)
    return SmiReport(tuple(gpus), tuple(other))


def _reading(row: Mapping[str, str]) -> GpuReading:
    return GpuReading(
        index=int(row["index"]),
        name=row.get("name", ""),
        driver=_text(row.get("driver_version")),
        memory_mib=_number(row.get("memory.total")),
        uncorrected=_number(row.get("ecc.errors.uncorrected.volatile.total")),
        mig={"enabled": True, "disabled": False}.get((row.get("mig.mode.current") or "").lower()),
        needs_reset=any("gpu requires reset" in value.lower() for value in row.values()),
    )


def _text(value: str | None) -> str | None:
    if value is None or value.strip("[] ").lower() in _ABSENT:
        return None
    return value


def _number(value: str | None) -> int | None:
    value = _text(value)
    match = re.match(r"\d+", value) if value else None
    return int(match[0]) if match else None
