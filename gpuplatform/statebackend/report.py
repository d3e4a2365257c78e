"""What a bootstrap found, created and repaired."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gpuplatform.reporting.markdown import count, table

__all__ = ["BootstrapReport", "Step", "StepStatus"]


class StepStatus(StrEnum):
    FOUND = "found"
    CREATED = "created"
    REPAIRED = "repaired"


@dataclass(frozen=True)
class Step:
    """One thing that has to be there, and what was done about it."""

    what: str
    name: str
    status: StepStatus
    detail: str = ""


@dataclass(frozen=True)
class BootstrapReport:
    """The state backend of an environment after a bootstrap."""

    environment: str
    resource_group: str
    account: str
    steps: tuple[Step, ...]

    @property
    def changed(self) -> bool:
        return any(step.status is not StepStatus.FOUND for step in self.steps)

    @property
    def message(self) -> str:
        """One sentence for the run's end."""
        if not self.changed:
            return f"The state backend of {self.environment}, {self.account}, is as it should be."
        created = sum(step.status is StepStatus.CREATED for step in self.steps)
        repaired = sum(step.status is StepStatus.REPAIRED for step in self.steps)
        parts = [count(n, f"thing {verb}", f"things {verb}")
                 for n, verb in ((created, "created"), (repaired, "repaired")) if n]  # fmt: skip
        return f"The state backend of {self.environment}, {self.account}: {' and '.join(parts)}."

    def markdown(self) -> str:
        rows = [(step.what, f"`{step.name}`", step.status.value, step.detail) for step in self.steps]
        return f"{self.message}\n\n" + table(("What", "Name", "Result", "Detail"), rows)
