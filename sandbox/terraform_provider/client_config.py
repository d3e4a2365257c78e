"""The data source azurerm_client_config: who Terraform is."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.terraform_provider.credentials import Credentials

__all__ = ["read"]


def read(credentials: Credentials) -> dict[str, Any]:
    """The ids of the login; the object id comes from the token."""
    login = credentials.login
    values = {
        "client_id": login.client_id,
        "object_id": credentials.object_id(),
        "subscription_id": login.subscription_id,
        "tenant_id": login.tenant_id,
    }
    key = ";".join(
        f"{label}={values[name]}"
        for label, name in (
            ("clientId", "client_id"),
            ("objectId", "object_id"),
            ("subscriptionId", "subscription_id"),
            ("tenantId", "tenant_id"),
        )
    )
    return {**values, "id": base64.b64encode(key.encode()).decode()}
