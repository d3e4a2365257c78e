"""The result of an onboarding run, for a message, a table and a terminal."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from gpuplatform.environments import EnvironmentName
from gpuplatform.reporting.markdown import count, table
from gpuplatform.tenants.results import Tenancy, TenantOutcome

__all__ = ["OnboardSummary"]


class OnboardSummary(BaseModel):
    """Every tenant of one run."""

    model_config = ConfigDict(frozen=True)

    environment: EnvironmentName
    tenants: tuple[TenantOutcome, ...]
    tenancy: Tenancy | None = None
    """None where there was no tenant to onboard."""
    problems: tuple[str, ...] = ()
    """Tenant files that could not be used, a sentence each."""

    @property
    def failed(self) -> tuple[TenantOutcome, ...]:
        return tuple(tenant for tenant in self.tenants if tenant.failures)

    @property
    def done(self) -> tuple[TenantOutcome, ...]:
        return tuple(tenant for tenant in self.tenants if not tenant.failures)

    @property
    def failures(self) -> tuple[str, ...]:
        """Everything that failed, a sentence each, with the tenant that it concerns."""
        shared = self.tenancy.failures if self.tenancy else ()
        return (
            *(f"{tenant.team}: {text}" for tenant in self.failed for text in tenant.failures),
            *self.problems,
            *shared,
        )

    @property
    def succeeded(self) -> bool:
        return not self.failures

    @property
    def changed(self) -> bool:
        """Whether anything in the cluster or in Azure is different from before the run."""
        return any(tenant.changed for tenant in self.tenants) or bool(self.tenancy and self.tenancy.changed)

    @property
    def message(self) -> str:
        """One sentence: who has a namespace now, and who failed and why."""
        if not self.tenants and not self.problems:
            return f"no tenant to onboard: no file in tenants/ is for {self.environment.value}"
        where = self.environment.value
        names = ", ".join(tenant.team for tenant in self.done)
        how = "" if self.changed else ", nothing changed"
        text = f"{count(len(self.done), 'tenant')} onboarded in {where}{f': {names}' if names else ''}{how}"
        if self.failed:
            text += f"; failed: {', '.join(tenant.team for tenant in self.failed)}"
        if self.failures:
            more = f" (and {len(self.failures) - 1} more)" if len(self.failures) > 1 else ""
            text += f"; {self.failures[0]}{more}"
        return text

    def rows(self) -> list[dict[str, str]]:
        """One row a tenant, every cell a text."""
        return [
            {
                "tenant": tenant.team,
                "namespace": tenant.request.namespace,
                "GPUs": f"{tenant.request.gpus}",
                "GPU": tenant.request.gpu_model or "any",
                "queue": tenant.request.queue if self.tenancy and self.tenancy.kueue_version else "–",
                "result": _result(tenant),
                "detail": "; ".join((*tenant.failures, *tenant.notes)) or "–",
            }
            for tenant in self.tenants
        ]

    def markdown(self) -> str:
        """The sentence, the table, and what is missing for everybody."""
        parts = [f"## Tenants of {self.environment.value}", self.message]
        rows = self.rows()
        if rows:
            parts.append(table(list(rows[0]), (list(row.values()) for row in rows)))
        if self.failures:
            parts += ["### Failed", "\n".join(f"- {text}" for text in self.failures)]
        if self.tenancy and self.tenancy.notes:
            parts += ["### To know, for all", "\n".join(f"- {text}" for text in self.tenancy.notes)]
        return "\n\n".join(parts)


def _result(tenant: TenantOutcome) -> str:
    if tenant.failures:
        return "failed"
    changed = sum(item.changed for item in tenant.objects)
    return count(changed, "change") if changed else "no changes"
