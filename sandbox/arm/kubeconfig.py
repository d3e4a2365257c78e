"""Kubeconfig files as AKS hands them out."""

from __future__ import annotations

import base64
import json
from typing import Any

from sandbox.arm.authorization import AKS_SERVER

__all__ = ["credential", "entra_user", "kubeconfig", "token_user"]

_AKS_CLIENT = "80faf920-1908-4b52-b5ef-a8e7bedfc67a"  # the AKS Entra client application, same in all tenants


def token_user(token: str) -> dict[str, Any]:
    """A local account. Azure adds a client certificate; the sandbox's API server knows tokens only."""
    return {"token": token}


def entra_user(tenant: str, login: str) -> dict[str, Any]:
    """Sign-in through the `kubelogin` credential plugin."""
    arguments = [
        "get-token", "--environment", "AzurePublicCloud", "--server-id", AKS_SERVER,
        "--client-id", _AKS_CLIENT, "--tenant-id", tenant, "--login", login,
    ]  # fmt: skip
    return {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1beta1",
            "command": "kubelogin",
            "args": arguments,
            "env": None,
            "installHint": "kubelogin is not installed: https://aka.ms/aks/kubelogin",
            "provideClusterInfo": False,
        }
    }


def azure_user(tenant: str) -> dict[str, Any]:
    """The old `auth-provider` form, for `format=azure`."""
    return {
        "auth-provider": {
            "name": "azure",
            "config": {
                "apiserver-id": AKS_SERVER,
                "client-id": _AKS_CLIENT,
                "config-mode": "1",
                "environment": "AzurePublicCloud",
                "tenant-id": tenant,
            },
        }
    }


def kubeconfig(cluster: str, host: str, ca_pem: bytes, user: str, credentials: dict[str, Any]) -> str:
    """JSON, which is YAML too: every kubeconfig reader takes it."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": cluster,
                "cluster": {
                    "certificate-authority-data": base64.b64encode(ca_pem).decode(),
                    "server": f"https://{host}:443",
                },
            }
        ],
        "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": user}}],
        "current-context": cluster,
        "preferences": {},
        "users": [{"name": user, "user": credentials}],
    }
    return json.dumps(document, indent=2)


def credential(name: str, text: str) -> dict[str, str]:
    """One entry of `kubeconfigs` in the answer."""
    return {"name": name, "value": base64.b64encode(text.encode()).decode()}
