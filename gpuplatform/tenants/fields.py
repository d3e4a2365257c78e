"""The checked types of a tenant request's fields; each mistake has a sentence that says what is right."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, Field

from gpuplatform.gpu.catalog import catalog
from gpuplatform.tenants.names import MAX_LABEL, namespace_of, queue_of
from gpuplatform.tenants.quantities import parse_quantity

__all__ = [
    "Cores",
    "CostCenter",
    "Email",
    "GpuModel",
    "Gpus",
    "GroupObjectId",
    "Memory",
    "Namespace",
    "Pods",
    "Port",
    "Storage",
    "Team",
]

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_SIZE = re.compile(r"[1-9][0-9]{0,6}(Mi|Gi|Ti)")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_SMALLEST_MEMORY = "4Gi"
"""A container that names no memory gets this limit (see the LimitRange), so less would hold none."""


def _whole(what: str, low: int, high: int) -> Callable[[Any], int]:
    """A validator for whole numbers that takes no text, no fraction and no true/false for one."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"{what} must be a whole number")  # noqa: TRY004 # pydantic takes ValueError
        if not low <= value <= high:
            raise ValueError(f"{what} must be from {low} to {high}")
        return value

    return check


def _label(value: str) -> str:
    if not _LABEL.fullmatch(value):
        raise ValueError("may hold lower-case letters, digits and inner hyphens only, such as 'data-science'")
    if len(value) > MAX_LABEL:
        raise ValueError(f"is {len(value)} characters long, at most {MAX_LABEL} are allowed")
    return value


def _team(value: str) -> str:
    if not _LABEL.fullmatch(value):
        raise ValueError(
            "a team's name may hold lower-case letters, digits and inner hyphens only, such as 'data-science'"
        )
    if value.startswith("team-"):
        raise ValueError("leave out 'team-': the namespace is called team-<team> anyway")
    longest = max(namespace_of(value), queue_of(value), key=len)
    if len(longest) > MAX_LABEL:
        room = MAX_LABEL - (len(longest) - len(value))
        raise ValueError(
            f"a team's name may be {room} characters long, so that {namespace_of('<team>')} and"
            f" {queue_of('<team>')} stay within {MAX_LABEL}; this one has {len(value)}"
        )
    return value


def _group(value: str) -> str:
    try:
        if str(UUID(value)) == value.lower() and UUID(value).int:
            return value.lower()
    except ValueError:
        pass
    raise ValueError(
        "must be the group's object id, a GUID: display names of Entra ID groups do not work in Kubernetes"
        " RBAC; the id is on the group's page in the Entra admin center, or:"
        ' az ad group show --group "<display name>" --query id'
    )


def _gpus(value: Any) -> Any:
    if isinstance(value, float) and not value.is_integer():
        raise ValueError(
            "GPUs come whole, a container gets all of one or none: ask for 1 or 2, not for a part"
        )
    return _whole("the number of GPUs", 0, 1_000)(value)


def _gpu_model(value: str) -> str:
    families = (family for family in catalog().families if family.vendor == "nvidia" and not family.retired)
    known = sorted({family.model for family in families} - {"unknown"})
    found = next((model for model in known if model.lower() == value.strip().lower()), None)
    if found is None:
        raise ValueError(f"is not an NVIDIA GPU of Azure; there are: {', '.join(known)}")
    return found


def _text(value: Any) -> Any:
    if isinstance(value, int | float):
        raise ValueError(f"must be a text: write '{value}', with quotes")  # noqa: TRY004 # as above
    return value


def _size(value: Any) -> str:
    if not isinstance(value, str) or not _SIZE.fullmatch(value):
        raise ValueError("must be a whole number with Mi, Gi or Ti, such as 64Gi")
    return value


def _memory(value: Any) -> str:
    size = _size(value)
    if parse_quantity(size) < parse_quantity(_SMALLEST_MEMORY):
        raise ValueError(
            f"must be at least {_SMALLEST_MEMORY}: a container that names no memory gets that much"
        )
    return size


def _email(value: str) -> str:
    if not _EMAIL.fullmatch(value):
        raise ValueError("must be an e-mail address")
    return value


def _cost_center(value: str) -> str:
    if len(value) > MAX_LABEL or not _LABEL_VALUE.fullmatch(value):
        raise ValueError(
            f"must be a label's value: at most {MAX_LABEL} letters, digits, '-', '_' and '.',"
            " a letter or digit at both ends"
        )
    return value


Team = Annotated[str, AfterValidator(_team), Field(examples=["data-science"])]
Namespace = Annotated[str, AfterValidator(_label)]
GroupObjectId = Annotated[str, AfterValidator(_group), Field(json_schema_extra={"format": "uuid"})]
Email = Annotated[str, AfterValidator(_email), Field(json_schema_extra={"format": "email"})]
CostCenter = Annotated[str, BeforeValidator(_text), AfterValidator(_cost_center)]
Gpus = Annotated[int, BeforeValidator(_gpus), Field(json_schema_extra={"minimum": 0, "maximum": 1_000})]
GpuModel = Annotated[str, AfterValidator(_gpu_model), Field(examples=["T4", "A100 80GB PCIe"])]
Memory = Annotated[str, BeforeValidator(_memory), Field(json_schema_extra={"pattern": f"^{_SIZE.pattern}$"})]
Storage = Annotated[str, BeforeValidator(_size), Field(json_schema_extra={"pattern": f"^{_SIZE.pattern}$"})]
Port = Annotated[
    int,
    BeforeValidator(_whole("a port", 1, 65_535)),
    Field(json_schema_extra={"minimum": 1, "maximum": 65_535}),
]
Cores = Annotated[
    int,
    BeforeValidator(_whole("the number of CPU cores", 1, 10_000)),
    Field(json_schema_extra={"minimum": 1, "maximum": 10_000}),
]
Pods = Annotated[
    int,
    BeforeValidator(_whole("the number of pods", 1, 5_000)),
    Field(json_schema_extra={"minimum": 1, "maximum": 5_000}),
]
