"""The JSON schema of a tenant file, for editors; `python -m gpuplatform.tenants.schema` prints it."""

from __future__ import annotations

import json
import sys
from typing import Any

from gpuplatform.tenants.request import TenantRequest

__all__ = ["schema_text", "tenant_schema"]


def tenant_schema() -> dict[str, Any]:
    """The schema of `tenants/*.yaml`."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **TenantRequest.model_json_schema()}


def schema_text() -> str:
    """The schema as it is kept in `tenants/schema.json`."""
    return json.dumps(tenant_schema(), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
