"""What a kubeconfig says about reaching a cluster: address, trust, and how to sign in."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import Any, cast

import yaml

from gpuplatform.errors import PlatformError

__all__ = ["ClusterAccess", "parse_kubeconfig"]


@dataclass(frozen=True)
class ClusterAccess:
    """How the current context of a kubeconfig reaches its cluster.

    With neither `token` nor `certificate` the user signs in through Entra ID (an exec plug-in such as
    kubelogin): the caller gets an access token itself.
    """

    server: str
    authority: bytes | None
    """The cluster's CA as PEM; None trusts what the system trusts."""
    token: str | None = field(default=None, repr=False)
    certificate: bytes | None = field(default=None, repr=False)
    key: bytes | None = field(default=None, repr=False)

    @property
    def entra(self) -> bool:
        """Whether an Entra ID access token is what the cluster wants."""
        return self.token is None and self.certificate is None


def parse_kubeconfig(text: bytes | str) -> ClusterAccess:
    """The access that the kubeconfig's current context describes.

    Raises:
        PlatformError: the text is no kubeconfig or its context names what is not in it.
    """
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError:  # its text may quote the credentials
        raise PlatformError("the kubeconfig from Azure is not YAML") from None
    if not isinstance(document, dict):
        raise PlatformError("the kubeconfig from Azure is empty")
    context = _named(document, "contexts", str(document.get("current-context", "")), "context")
    cluster = _named(document, "clusters", str(context.get("cluster", "")), "cluster")
    user = _named(document, "users", str(context.get("user", "")), "user")
    server = cluster.get("server")
    if not isinstance(server, str) or not server.startswith("https://"):
        raise PlatformError(f"the kubeconfig from Azure names no https server (got {server!r})")
    certificate, key = _data(user, "client-certificate-data"), _data(user, "client-key-data")
    return ClusterAccess(
        server=server.rstrip("/"),
        authority=_data(cluster, "certificate-authority-data"),
        token=user.get("token") or None,
        certificate=certificate if key else None,
        key=key if certificate else None,
    )


def _named(document: dict[str, Any], section: str, name: str, item: str) -> dict[str, Any]:
    for entry in document.get(section) or []:
        if isinstance(entry, dict) and entry.get("name") == name and isinstance(entry.get(item), dict):
            return cast("dict[str, Any]", entry[item])
    raise PlatformError(f"the kubeconfig from Azure has no {item} {name!r}")


def _data(section: dict[str, Any], key: str) -> bytes | None:
    value = section.get(key)
    if not value:
        return None
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise PlatformError(f"the kubeconfig from Azure has a {key} that is not base64") from None
