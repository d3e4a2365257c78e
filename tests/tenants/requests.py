"""A correct tenant request, to be varied by tests."""

from __future__ import annotations

from typing import Any

from gpuplatform.tenants.request import TenantRequest

GROUP = "9d4e1b7c-2f83-4c0e-8a6d-3b1f5e7a9c42"

FIELDS: dict[str, Any] = {
    "team": "nlp",
    "environment": "dev",
    "group_object_id": GROUP,
    "owner": "rui@example.com",
    "contact": "nlp@example.com",
    "cost_center": "language-1",
    "justification": "Language models.",
    "gpus": 2,
    "cpu": 8,
    "memory": "64Gi",
}


def tenant(**changes: Any) -> TenantRequest:
    return TenantRequest.model_validate(FIELDS | changes)
