"""The one TLS port behind the proxy: every emulated host, told apart by the Host header."""

from __future__ import annotations

import logging
import socket

from aiohttp import web

from sandbox.certificates import Certificates
from sandbox.hosts import Hosts

__all__ = ["TlsServer"]

_log = logging.getLogger(__name__)

MAX_BODY = 1 << 30
"""Bytes that a handler may read at once; bodies that are streamed have no limit."""
_MAX_HEADER = 65536
_STOP_SECONDS = 1.0


class TlsServer:
    """HTTP/1.1 with keep-alive."""

    def __init__(self, hosts: Hosts, certificates: Certificates) -> None:
        self._hosts = hosts
        self._certificates = certificates
        self._runner: web.AppRunner | None = None

    async def start(self, listener: socket.socket) -> int:
        """Serve on a bound socket; its port is returned."""
        app = web.Application(client_max_size=MAX_BODY)
        app.router.add_route("*", "/{path:.*}", self._dispatch)
        self._runner = web.AppRunner(
            app,
            access_log=None,
            # A blob is stored as it is sent: a body with Content-Encoding stays compressed.
            auto_decompress=False,
            max_line_size=_MAX_HEADER,
            max_field_size=_MAX_HEADER,
            handle_signals=False,
            shutdown_timeout=_STOP_SECONDS,
        )
        await self._runner.setup()
        site = web.SockSite(self._runner, listener, ssl_context=self._certificates.server_context())
        await site.start()
        return int(listener.getsockname()[1])

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _dispatch(self, request: web.Request) -> web.StreamResponse:
        handler = self._hosts.find(request.host)
        if handler is None:
            return web.Response(status=421, text=self._hosts.refusal(request.host) + "\n")
        try:
            response = await handler(request)
        except (web.HTTPException, ConnectionError):
            raise
        except Exception:
            if request.writer.output_size > 0:
                raise  # an answer has begun: aiohttp logs the fault and breaks the connection
            _log.exception("%s %s%s", request.method, request.host, request.path)
            message = f"The sandbox itself failed on {request.method} {request.path}; its log says where."
            error = {"error": {"code": "InternalServerError", "message": message}}
            response = web.json_response(error, status=500)
        _log.info("%s %s%s -> %d", request.method, request.host, request.path, response.status)
        return response
