"""What Terraform tells the later steps: where the cluster is and what it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gpuplatform.errors import PlatformError
from gpuplatform.ids import ClusterName, ResourceGroupName, ResourceId
from gpuplatform.validation import first_problem

__all__ = ["GpuPool", "Outputs", "parse_outputs", "visible_outputs"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class GpuPool(_Frozen):
    """A GPU node pool: its SKU, fewest and most nodes."""

    vm_size: str
    min_nodes: int
    max_nodes: int


class Outputs(_Frozen):
    """The outputs of `terraform/outputs.tf`."""

    resource_group_name: ResourceGroupName
    location: str
    cluster_name: ClusterName
    cluster_id: ResourceId
    gpu_pools: dict[str, GpuPool] = Field(default_factory=dict)
    workbench_vm_ids: tuple[ResourceId, ...] = ()


def visible_outputs(document: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the outputs that are not sensitive, from `terraform output -json`, from a state, or
    from the values of a plan; an output whose value is not known yet is left out.
    """
    return {
        name: output["value"]
        for name, output in sorted(document.items())
        if isinstance(output, Mapping) and not output.get("sensitive") and "value" in output
    }


def parse_outputs(values: Mapping[str, Any]) -> Outputs:
    """The outputs that later steps read.

    Raises:
        PlatformError: one is missing or of another shape.
    """
    try:
        return Outputs.model_validate(dict(values))
    except ValidationError as error:
        raise PlatformError(
            f"the Terraform outputs are not those of terraform/outputs.tf: {first_problem(error)}"
        ) from None
