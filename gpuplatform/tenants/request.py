"""What a team asks for: a namespace, GPUs, and who may reach what."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gpuplatform.environments import EnvironmentName
from gpuplatform.tenants import fields
from gpuplatform.tenants.names import labels, namespace_of, queue_of

__all__ = ["Isolation", "PriorityName", "Protocol", "SharedService", "TenantRequest"]


class Isolation(StrEnum):
    """What the pods of a tenant may talk to besides DNS and the shared services."""

    SAME_NAMESPACE = "same-namespace"
    """Each other."""
    DENY_ALL = "deny-all"
    """Nothing."""


class PriorityName(StrEnum):
    """The platform's priority classes, lowest first."""

    EXPLORATORY = "exploratory"
    SCHEDULED_TRAINING = "scheduled-training"
    PRODUCTION_INFERENCE = "production-inference"


class Protocol(StrEnum):
    TCP = "TCP"
    UDP = "UDP"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SharedService(_Strict):
    """A service outside the namespace that the tenant's pods may call."""

    namespace: Annotated[fields.Namespace, Field(description="Namespace of the service.")]
    port: Annotated[fields.Port, Field(description="Port of the pods behind the service.")]
    protocol: Protocol = Protocol.TCP


class TenantRequest(_Strict):
    """A team's namespace and its share of the GPUs."""

    team: Annotated[fields.Team, Field(description="Short name; the namespace becomes team-<team>.")]
    environment: Annotated[EnvironmentName, Field(description="Environment whose cluster it is in.")]
    group_object_id: Annotated[
        fields.GroupObjectId,
        Field(description="Object id (a GUID) of the Entra ID group of its people, not its display name."),
    ]
    owner: Annotated[fields.Email, Field(description="E-mail address of the person who answers for it.")]
    contact: Annotated[fields.Email, Field(description="E-mail address of the team, not of a person.")]
    cost_center: Annotated[fields.CostCenter, Field(description="Who pays; becomes a label.")]
    justification: Annotated[
        str, Field(min_length=10, max_length=500, description="What the GPUs are for, in a sentence.")
    ]
    gpus: Annotated[fields.Gpus, Field(description="Most GPUs in use at a time; whole GPUs.")]
    gpu_model: Annotated[
        fields.GpuModel | None, Field(description="GPU model that is needed; left out: any.")
    ] = None
    cpu: Annotated[
        fields.Cores,
        Field(description="CPU cores that its pods may request in all; limits may be twice that."),
    ]
    memory: Annotated[
        fields.Memory,
        Field(description="Memory that its pods may request in all, such as 64Gi; limits may be twice that."),
    ]
    storage: Annotated[fields.Storage, Field(description="Size of all its volumes together.")] = "100Gi"
    pods: Annotated[fields.Pods, Field(description="Most pods.")] = 50
    isolation: Annotated[Isolation, Field(description="What its pods may talk to.")] = (
        Isolation.SAME_NAMESPACE
    )
    shared_services: Annotated[
        tuple[SharedService, ...],
        Field(max_length=20, description="Services in other namespaces that its pods may call."),
    ] = ()
    default_priority_class: Annotated[
        PriorityName,
        Field(
            description="Priority class of its jobs. Only a team with production-inference here may use"
            " that class."
        ),
    ] = PriorityName.EXPLORATORY

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.contact.lower() == self.owner.lower():
            raise ValueError("contact must be an address of the team, so another one than the owner's")
        seen: set[tuple[str, int, str]] = set()
        for service in self.shared_services:
            key = (service.namespace, service.port, service.protocol.value)
            if key in seen:
                raise ValueError(
                    f"shared_services holds {service.namespace}:{service.port}/{service.protocol.value} twice"
                )
            if service.namespace == self.namespace:
                raise ValueError(f"shared_services: {self.namespace} is the team's own namespace")
            seen.add(key)
        return self

    @property
    def namespace(self) -> str:
        return namespace_of(self.team)

    @property
    def queue(self) -> str:
        return queue_of(self.team)

    @property
    def labels(self) -> dict[str, str]:
        """The labels of every object made for this tenant."""
        return labels(self.team, self.environment.value, self.cost_center)
