"""The kubeconfig that Azure hands out, read without a file and without its exec plug-in."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest
import yaml

from gpuplatform.errors import PlatformError
from gpuplatform.kubernetes.kubeconfig import parse_kubeconfig


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def kubeconfig(user: dict[str, Any], **cluster: Any) -> str:
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": "other", "cluster": {"server": "https://other.example"}},
                {
                    "name": "aks",
                    "cluster": {
                        "server": "https://aks.hcp.eastus2.azmk8s.io:443/",
                        "certificate-authority-data": encoded("CA"),
                        **cluster,
                    },
                },
            ],
            "contexts": [{"name": "aks", "context": {"cluster": "aks", "user": "u"}}],
            "current-context": "aks",
            "users": [{"name": "u", "user": user}],
        }
    )


def test_exec_users_sign_in_with_entra_id() -> None:
    text = kubeconfig(
        {"exec": {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "kubelogin"}}
    )
    access = parse_kubeconfig(text.encode())
    assert access.server == "https://aks.hcp.eastus2.azmk8s.io:443"
    assert access.authority == b"CA"
    assert access.entra


def test_a_token_is_used_and_never_printed() -> None:
    access = parse_kubeconfig(kubeconfig({"token": "very-secret-token"}))
    assert access.token == "very-secret-token"
    assert not access.entra
    assert "very-secret" not in repr(access)


def test_a_client_certificate_needs_its_key() -> None:
    both = {"client-certificate-data": encoded("CERT"), "client-key-data": encoded("KEY")}
    access = parse_kubeconfig(kubeconfig(both))
    assert (access.certificate, access.key) == (b"CERT", b"KEY")
    assert parse_kubeconfig(kubeconfig({"client-certificate-data": encoded("CERT")})).entra


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("- a list", "is empty"),
        ("a: [", "is not YAML"),
        ("current-context: aks", "has no context 'aks'"),
        (kubeconfig({}, server="http://aks"), "names no https server (got 'http://aks')"),
        (
            kubeconfig({}, **{"certificate-authority-data": "%%%"}),
            "certificate-authority-data that is not base64",
        ),
    ],
)
def test_what_is_no_kubeconfig_says_so(text: str, message: str) -> None:
    with pytest.raises(PlatformError, match=re.escape(message)):
        parse_kubeconfig(text)
