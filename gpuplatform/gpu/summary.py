"""The result of a GPU verification, for a message, a table and a terminal."""

from __future__ import annotations

from collections import Counter

from pydantic import BaseModel, ConfigDict

from gpuplatform.environments import EnvironmentName
from gpuplatform.gpu.findings import Finding, Kind, Severity, Status, Verdict
from gpuplatform.reporting.markdown import count, table

__all__ = ["VerifySummary"]

_ORDER = (Status.FAILING, Status.UNKNOWN, Status.DEGRADED, Status.HEALTHY, Status.NOTHING)


class VerifySummary(BaseModel):
    """The verdicts on every GPU target of one environment."""

    model_config = ConfigDict(frozen=True)

    environment: EnvironmentName
    verdicts: tuple[Verdict, ...]

    def having(self, status: Status) -> tuple[Verdict, ...]:
        """The verdicts of this status."""
        return tuple(verdict for verdict in self.verdicts if verdict.status is status)

    @property
    def proven(self) -> bool:
        """Whether nothing fails and nothing is unknown; true also where there is nothing to verify."""
        return not self.having(Status.FAILING) and not self.having(Status.UNKNOWN)

    @property
    def worst(self) -> tuple[Verdict, Finding] | None:
        """The verdict to look at first, with its worst finding."""
        for status in _ORDER:
            for verdict in self.having(status):
                if verdict.worst is not None:
                    return verdict, verdict.worst
        return None

    @property
    def message(self) -> str:
        """One sentence: how many targets are how, and the worst finding where something is wrong."""
        if not self.verdicts:
            return f"nothing to verify: {self.environment.value} has no GPU node pool and no GPU machine"
        counts = Counter(verdict.status for verdict in self.verdicts)
        text = ", ".join(f"{counts[status]} {status.value}" for status in _ORDER if counts[status])
        text = f"{count(len(self.verdicts), 'GPU target')}: {text}"
        if self.worst and self.worst[1].severity is not Severity.INFO:
            verdict, finding = self.worst
            text += f"; worst: {verdict.target}: {finding.summary}"
        return text

    def rows(self) -> list[dict[str, str]]:
        """One row a target, worst first, every cell a text."""
        ranked = sorted(self.verdicts, key=lambda verdict: _ORDER.index(verdict.status))
        return [
            {
                "target": verdict.target,
                "kind": verdict.kind.value,
                "size": verdict.sku,
                "GPU": verdict.model or "–",
                "GPUs": _gpus(verdict),
                "driver": verdict.driver or ("node image" if verdict.kind is Kind.NODE else "–"),
                "verdict": verdict.status.value,
                "finding": verdict.worst.summary if verdict.worst else "–",
            }
            for verdict in ranked
        ]

    def markdown(self) -> str:
        """The summary, the table, and what to do about each finding."""
        parts = [f"## GPUs of {self.environment.value}", self.message]
        rows = self.rows()
        if rows:
            parts.append(table(list(rows[0]), (list(row.values()) for row in rows)))
        lines = [
            f"- **{verdict.target}** ({finding.category.value}): {finding.summary}."
            + (f" {finding.resolution}" if finding.resolution else "")
            + (f"\n  `{finding.detail.replace('`', chr(39))}`" if finding.detail else "")
            for verdict in self.verdicts
            for finding in verdict.findings
        ]
        if lines:
            parts += ["### Findings", "\n".join(lines)]
        return "\n\n".join(parts)


def _gpus(verdict: Verdict) -> str:
    seen = "?" if verdict.seen_gpus is None else verdict.seen_gpus
    if verdict.expected_gpus is None:
        return f"{seen}"
    return f"{seen} of {verdict.expected_gpus}"
