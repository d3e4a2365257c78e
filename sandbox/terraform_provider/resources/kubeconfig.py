"""The kubeconfigs that azurerm puts into a cluster's attributes."""

from __future__ import annotations

import base64
from typing import Any

from sandbox.terraform_provider.errors import ProviderError
from sandbox.terraform_provider.resources.agent_pool import API_VERSION
from sandbox.terraform_provider.resources.base import Context, Values

__all__ = ["credential_values"]


def credential_values(cluster_id: str, admin: bool, context: Context) -> Values:
    """`kube_config*` and `kube_admin_config*`; the admin's only when `admin`."""
    raw = _fetch(cluster_id, "User", context)
    values: Values = {
        "kube_config_raw": raw,
        "kube_config": _parsed(raw),
        "kube_admin_config_raw": "",
        "kube_admin_config": [],
    }
    if admin:
        raw = _fetch(cluster_id, "Admin", context)
        values["kube_admin_config_raw"] = raw
        values["kube_admin_config"] = _parsed(raw)
    return values


def _fetch(cluster_id: str, kind: str, context: Context) -> str:
    try:
        answer = context.arm.post(f"{cluster_id}/listCluster{kind}Credential", API_VERSION)
    except ProviderError as error:
        error.args = (f"retrieving {kind} Credentials: {error}",)
        raise
    configs = answer.get("kubeconfigs") or []
    return base64.b64decode(configs[0]["value"]).decode() if configs else ""


def _parsed(raw: str) -> list[dict[str, Any]]:
    if not raw:
        return []
    import yaml  # noqa: PLC0415  # most provider processes read no cluster

    config = yaml.safe_load(raw)
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]
    login = user.get("user") or {}
    return [
        {
            "host": cluster.get("server", ""),
            "cluster_ca_certificate": cluster.get("certificate-authority-data", ""),
            "username": user.get("name", ""),
            "password": login.get("token", ""),
            "client_certificate": login.get("client-certificate-data", ""),
            "client_key": login.get("client-key-data", ""),
        }
    ]
