"""Terraform's `-json` lines: diagnostics, progress, and the counts at the end."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gpuplatform.scrubbing import cap

__all__ = ["Diagnostic", "Stream", "parse_line"]

_PROGRESS = frozenset(
    {
        "apply_start",
        "apply_progress",
        "apply_complete",
        "apply_errored",
        "provision_start",
        "provision_errored",
    }
)
_UNDECLARED = re.compile(r'variable named "([^"]+)"')
_MAX_DIAGNOSTICS = 50
_ID = re.compile(r" \[id=[^]]*\]$")


@dataclass(frozen=True)
class Diagnostic:
    """One problem that Terraform reports; texts are scrubbed and capped."""

    severity: str
    summary: str
    detail: str = ""
    address: str = ""
    filename: str = ""
    line: int = 0

    @classmethod
    def parse(cls, document: Mapping[str, Any]) -> Diagnostic:
        place = document.get("range") or {}
        return cls(
            severity=str(document.get("severity", "error")),
            summary=cap(str(document.get("summary", "")), 500),
            detail=cap(str(document.get("detail", ""))),
            address=str(document.get("address", "")),
            filename=str(place.get("filename", "")),
            line=int((place.get("start") or {}).get("line", 0)),
        )


def parse_line(line: str) -> dict[str, Any] | None:
    """One line as a document; None for a line that is no event."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "type" in event else None


@dataclass
class Stream:
    """Collects what matters of a run's lines."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    changes: dict[str, int] = field(default_factory=dict)
    """`add`, `change`, `remove` of the last `change_summary`."""
    outputs: dict[str, Any] = field(default_factory=dict)
    """The outputs as an apply prints them; sensitive ones have no value."""
    plain: list[str] = field(default_factory=list)
    """The last lines that were no events: what an engine says that fails before it speaks JSON."""

    def take(self, line: str) -> str | None:
        """Take in one line; a sentence for the log where it says that something moved on."""
        event = parse_line(line)
        if event is None:
            if line.strip():
                self.plain = [*self.plain[-19:], cap(line, 500)]
            return None
        kind = event["type"]
        if kind == "diagnostic":
            if len(self.diagnostics) < _MAX_DIAGNOSTICS:
                self.diagnostics.append(Diagnostic.parse(event.get("diagnostic") or {}))
        elif kind == "change_summary":
            changes = event.get("changes") or {}
            self.changes = {key: value for key, value in changes.items() if isinstance(value, int)}
        elif kind == "outputs":
            self.outputs = dict(event.get("outputs") or {})
        elif kind in _PROGRESS and (event.get("hook") or {}).get("action") != "read":
            # The resource id behind "Creation complete after 3s" makes the line too long to read.
            return cap(_ID.sub("", str(event.get("@message", ""))), 300)
        return None

    @property
    def undeclared(self) -> list[str]:
        """Names that a variables file sets and the configuration does not declare."""
        found = (
            _UNDECLARED.search(item.detail)
            for item in self.diagnostics
            if item.summary.startswith("Value for undeclared variable")
        )
        return sorted({match.group(1) for match in found if match})

    @property
    def errors(self) -> list[Diagnostic]:
        return [item for item in self.diagnostics if item.severity == "error"]
