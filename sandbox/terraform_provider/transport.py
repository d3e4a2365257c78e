"""HTTPS by the standard library: through HTTPS_PROXY, trusting SSL_CERT_FILE, connections reused.

`http.client` loads in a tenth of the time that an HTTP library takes, and every plan starts several
provider processes.
"""

from __future__ import annotations

import http.client
import os
import ssl
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Answer", "Transport"]

_TIMEOUT = 60.0  # seconds, for connecting and for each read


@dataclass(frozen=True)
class Answer:
    """An HTTP answer; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Sends requests to `https://` hosts; each thread has its own connections."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self._tls = ssl.create_default_context()  # reads SSL_CERT_FILE
        self._local = threading.local()

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        """Send one request and read the whole answer.

        A connection that the other side has closed while it was idle is opened again, once: every
        request sent here may be repeated.

        Raises OSError or http.client.HTTPException when no answer comes.
        """
        parts = urlsplit(url)
        host = parts.netloc
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connections: dict[str, http.client.HTTPSConnection] = self._local.__dict__.setdefault("open", {})
        reused = host in connections
        connection = connections.setdefault(host, self._connect(host)) if not reused else connections[host]
        try:
            return self._exchange(connection, method, target, headers, body)
        except (OSError, http.client.HTTPException):
            connection.close()
            connections.pop(host, None)
            if not reused:
                raise
        connections[host] = self._connect(host)
        return self._exchange(connections[host], method, target, headers, body)

    def close(self) -> None:
        """Close the connections of the calling thread."""
        for connection in self._local.__dict__.pop("open", {}).values():
            connection.close()

    @staticmethod
    def _exchange(
        connection: http.client.HTTPSConnection,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: bytes | None,
    ) -> Answer:
        connection.request(method, target, body=body, headers=dict(headers))
        response = connection.getresponse()
        content = response.read()
        return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, content)

    def _connect(self, host: str) -> http.client.HTTPSConnection:
        name, _, port = host.partition(":")
        proxy = self._proxy_for(name)
        if proxy is None:
            return http.client.HTTPSConnection(host, timeout=_TIMEOUT, context=self._tls)
        connection = http.client.HTTPSConnection(proxy, timeout=_TIMEOUT, context=self._tls)
        connection.set_tunnel(name, int(port or 443))
        return connection

    def _proxy_for(self, name: str) -> str | None:
        """`host:port` of the proxy for `name`; None to connect directly."""
        proxy = self._environment.get("HTTPS_PROXY") or self._environment.get("https_proxy")
        if not proxy:
            return None
        excepted = self._environment.get("NO_PROXY") or self._environment.get("no_proxy") or ""
        for entry in (e.strip().lower().lstrip(".") for e in excepted.split(",")):
            if entry == "*" or (entry and (name == entry or name.endswith(f".{entry}"))):
                return None
        return urlsplit(proxy if "//" in proxy else f"//{proxy}").netloc.rpartition("@")[2]
