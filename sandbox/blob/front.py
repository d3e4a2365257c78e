"""Passes an authorised request on to the account's Azurite, body and answer streamed."""

from __future__ import annotations

import ssl
from collections.abc import Mapping

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

__all__ = ["Front"]

_HOP_BY_HOP = frozenset(
    {
        "connection",
        "expect",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_CHUNK = 262144
_OWN_HEADERS = ("Accept", "Accept-Encoding", "User-Agent", "Content-Type")


class Front:
    """A pool of connections to all Azurites; the Host header stays, for Azurite reads the account in it."""

    def __init__(self, trust: ssl.SSLContext) -> None:
        self._trust = trust
        self._session: aiohttp.ClientSession | None = None

    async def start(self) -> None:
        self._session = aiohttp.ClientSession(
            # Azurite keeps idle connections for 120 s; ours go first, so none is found dead.
            connector=aiohttp.TCPConnector(ssl=self._trust, limit=0, keepalive_timeout=60),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_OWN_HEADERS,
            timeout=aiohttp.ClientTimeout(total=None, connect=10, sock_read=120),
            trust_env=False,
        )

    async def stop(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    @property
    def session(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("the blob front is not started")
        return self._session

    async def forward(self, request: web.Request, port: int) -> web.StreamResponse:
        """Send the request to 127.0.0.1:`port` and its answer to the client.

        Raises:
            aiohttp.ClientError: The connection to Azurite failed before an answer began.
        """
        url = URL(f"https://127.0.0.1:{port}{request.raw_path}", encoded=True)
        headers = _end_to_end(request.headers)
        async with self.session.request(
            request.method,
            url,
            headers=headers,
            data=request.content if request.body_exists else None,
            allow_redirects=False,
        ) as answer:
            response = web.StreamResponse(status=answer.status, reason=answer.reason)
            response.headers.extend(_end_to_end(answer.headers))
            if answer.headers.get("Transfer-Encoding", "").lower() == "chunked":
                response.enable_chunked_encoding()
            await response.prepare(request)
            try:
                if request.method != "HEAD":
                    async for chunk in answer.content.iter_chunked(_CHUNK):
                        await response.write(chunk)
                await response.write_eof()
            except aiohttp.ClientError:
                # The answer has begun: a broken connection is the only way left to say that it failed.
                if request.transport is not None:
                    request.transport.abort()
            return response


def _end_to_end(headers: Mapping[str, str]) -> CIMultiDict[str]:
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in _HOP_BY_HOP)
