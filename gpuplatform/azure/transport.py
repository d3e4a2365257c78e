"""The HTTP transport of the Azure clients: requests, without a stall behind a proxy."""

from __future__ import annotations

import socket
from typing import Any

import requests
from azure.core.pipeline.transport import RequestsTransport
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

__all__ = ["transport"]


class _PromptAdapter(HTTPAdapter):
    """Behind a proxy urllib3 turns Nagle's algorithm back on: every request with a body waits 40 ms."""

    def proxy_manager_for(self, proxy: str, **proxy_kwargs: Any) -> Any:
        options = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
        return super().proxy_manager_for(proxy, **{"socket_options": options, **proxy_kwargs})


def transport(timeout: float) -> RequestsTransport:
    """A transport for one client.

    Args:
        timeout: How long a connection may take, and how long it may then stay silent, in seconds.
    """
    session = requests.Session()
    # As azure-core's own session: its pipeline does the retries and redirects.
    adapter = _PromptAdapter(max_retries=Retry(total=False, redirect=False, raise_on_status=False))
    session.mount("https://", adapter)
    return RequestsTransport(session=session, connection_timeout=timeout, read_timeout=timeout)
