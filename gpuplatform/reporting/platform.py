"""What a run of the whole chain leaves behind, for the run's message and its page."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.environments import EnvironmentName
from gpuplatform.gpu.summary import VerifySummary
from gpuplatform.quota.summary import SweepSummary
from gpuplatform.reporting.markdown import table
from gpuplatform.tenants.summary import OnboardSummary
from gpuplatform.terraform.outputs import Outputs

__all__ = ["PlatformSummary"]


@dataclass(frozen=True)
class PlatformSummary:
    """The steps of one run; a step is None where it broke off, and `errors` says why."""

    environment: EnvironmentName
    provisioning: str
    """How the infrastructure's part ended, one sentence."""
    infrastructure_changed: bool
    backend_changed: bool
    outputs: Outputs
    gpus: VerifySummary | None
    tenants: OnboardSummary | None
    quota: SweepSummary | None
    errors: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything in Azure or in the cluster is different from before the run."""
        tenants = self.tenants is not None and self.tenants.changed
        return self.infrastructure_changed or self.backend_changed or tenants

    @property
    def problems(self) -> tuple[str, ...]:
        """What keeps the run from being a success, a sentence each."""
        found = list(self.errors)
        if self.gpus is not None and not self.gpus.proven:
            found.append(self.gpus.message)
        if self.tenants is not None and not self.tenants.succeeded:
            found.append(self.tenants.message)
        if self.quota is not None and not self.quota.seen:
            found.append(self.quota.message)
        return tuple(found)

    @property
    def message(self) -> str:
        """One sentence a step."""
        if not self.changed:
            return f"No changes: {self.environment.value} is as it should be."
        parts = [self.provisioning.rstrip("."), *(part.message for part in self._parts())]
        return "; ".join(parts)

    def markdown(self) -> str:
        """What exists now, then the GPUs, the tenants and the quota, each with its summary first."""
        place = self.outputs
        pools = ", ".join(
            f"{name} ({pool.vm_size}, {pool.min_nodes} to {pool.max_nodes} nodes)"
            for name, pool in place.gpu_pools.items()
        )
        machines = ", ".join(vm.rsplit("/", 1)[-1] for vm in place.workbench_vm_ids)
        exists = table(
            ["what", "name"],
            [
                ["resource group", f"{place.resource_group_name} in {place.location}"],
                ["cluster", place.cluster_name],
                ["GPU pools", pools],
                ["workbench machines", machines],
            ],
        )
        if self.problems:
            verdict = f"**Not everything is well.** {self.provisioning}"
        elif self.changed:
            verdict = f"**Changed.** {self.provisioning}"
        else:
            verdict = (
                f"**No changes.** {self.environment.value} is as its configuration and tenant files say."
            )
        parts = [f"# Platform {self.environment.value}", verdict, exists]
        parts += [part.markdown() for part in self._parts()]
        if self.errors:
            parts += ["## Broke off", "\n".join(f"- {error}" for error in self.errors)]
        return "\n\n".join(parts)

    def _parts(self) -> list[VerifySummary | OnboardSummary | SweepSummary]:
        return [part for part in (self.gpus, self.tenants, self.quota) if part is not None]
