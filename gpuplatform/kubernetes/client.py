"""The Kubernetes SDK's client, set up so that it cannot hang, leak or ask a person."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from gpuplatform.azure.errors import azure_errors

if TYPE_CHECKING:
    from azure.core.credentials import AccessToken, TokenCredential
    from kubernetes.client import ApiClient, Configuration

    from gpuplatform.kubernetes.kubeconfig import ClusterAccess

__all__ = ["AKS_SCOPE", "EntraTokens", "api_client"]

AKS_SCOPE = "6dae42f8-4368-4678-94ff-3960e28e3630/.default"
"""The scope of tokens for AKS: its Entra server application has this id in every public-cloud tenant."""

POOL_SIZE = 32
"""Connections kept open to one cluster; the client's own default is five a processor."""

RENEW_BEFORE = 300
"""Seconds before its expiry at which an access token is replaced."""


class EntraTokens:
    """Access tokens for AKS's API server, kept until shortly before they expire."""

    def __init__(self, credential: TokenCredential) -> None:
        self._credential = credential
        self._token: AccessToken | None = None
        self._lock = Lock()

    def get(self) -> str:
        """A token that is valid for some minutes more.

        Raises:
            Refused: Entra ID did not accept the credential.
        """
        with self._lock:
            if self._token is None or self._token.expires_on - time.time() < RENEW_BEFORE:
                with azure_errors("signing in to AKS with Entra ID"):
                    self._token = self._credential.get_token(AKS_SCOPE)
            return self._token.token


def api_client(
    access: ClusterAccess, directory: Path, timeout: float, renew: Callable[[], str] | None
) -> ApiClient:
    """A client whose every request has a deadline of `timeout` seconds; `renew` gives it its bearer token.

    `directory` is private to the caller: client certificates are written there, readable by us only.
    """
    from kubernetes.client import ApiClient, Configuration  # noqa: PLC0415 - half a second to import
    from urllib3.util.retry import Retry  # noqa: PLC0415 - comes with the SDK

    class TimedApiClient(ApiClient):
        """The SDK's own default is to wait for ever."""

        def call_api(
            self,
            method: Any,
            url: Any,
            header_params: Any = None,
            body: Any = None,
            post_params: Any = None,
            _request_timeout: Any = None,
        ) -> Any:
            return super().call_api(
                method, url, header_params, body, post_params, _request_timeout=_request_timeout or timeout
            )

    configuration = Configuration(
        host=access.server,  # with the host known, the proxy comes from HTTPS_PROXY and NO_PROXY
        ca_cert_data=access.authority.decode("ascii") if access.authority else None,
        connection_pool_maxsize=POOL_SIZE,
        # Behind a proxy urllib3 turns Nagle's algorithm back on: every request with a body waits 40 ms.
        socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
        # Only connections are tried again here. urllib3 would sleep through any Retry-After, uncapped.
        retries=Retry(
            total=2, connect=2, read=0, redirect=0, status=0, other=0, respect_retry_after_header=False
        ),
    )
    configuration.api_key_prefix = {"BearerToken": "Bearer"}
    if access.certificate and access.key:
        configuration.cert_file = _private_file(directory / "client.crt", access.certificate)
        configuration.key_file = _private_file(directory / "client.key", access.key)
    elif access.token:
        configuration.api_key = {"BearerToken": access.token}
    elif renew:
        configuration.api_key = {"BearerToken": renew()}
        configuration.refresh_api_key_hook = _renewing(renew)  # type: ignore[assignment] # typed None by the SDK
    return TimedApiClient(configuration)


def _renewing(renew: Callable[[], str]) -> Callable[[Configuration], None]:
    def hook(configuration: Configuration) -> None:
        configuration.api_key = {"BearerToken": renew()}

    return hook


def _private_file(path: Path, content: bytes) -> str:
    path.touch(mode=0o600)
    path.write_bytes(content)
    return str(path)
