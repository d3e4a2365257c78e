"""The CONNECT proxy: leads known hosts to the sandbox's TLS port and refuses every other."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket

from sandbox.hosts import Hosts

__all__ = ["Proxy"]

_log = logging.getLogger(__name__)

REQUEST_SECONDS = 15.0
"""How long a client may take to send the request line and headers."""
LIMIT = 65536
"""Bytes of request line and headers, and of one read while piping."""


class _BadRequestError(Exception):
    def __init__(self, status: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


class Proxy:
    """Ends no TLS and reads nothing of what it pipes."""

    def __init__(self, hosts: Hosts, tls_port: int) -> None:
        self._hosts = hosts
        self._tls_port = tls_port
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self, listener: socket.socket) -> int:
        """Serve on a bound socket; its port is returned."""
        self._server = await asyncio.start_server(self._accept, sock=listener, limit=LIMIT, backlog=256)
        return int(listener.getsockname()[1])

    async def stop(self) -> None:
        """Close the port and cut what is still open."""
        if self._server is not None:
            self._server.close()
        for task in self._connections:
            task.cancel()
        if self._connections:
            await asyncio.wait(self._connections, timeout=2)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        try:
            await self._serve(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            # The client went away, or the sandbox stops: nothing is left to answer.
            pass
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                host = await self._read_request(reader)
        except TimeoutError:
            seconds = int(REQUEST_SECONDS)
            await _refuse(
                writer, "408 Request Timeout", f"The request was not complete within {seconds} seconds."
            )
            return
        except _BadRequestError as error:
            _log.warning("refused: %s", error.sentence)
            await _refuse(writer, error.status, error.sentence)
            return
        if host is None:
            return
        upstream_reader, upstream_writer = await asyncio.open_connection(
            "127.0.0.1", self._tls_port, limit=LIMIT
        )
        try:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await asyncio.gather(_pipe(reader, upstream_writer), _pipe(upstream_reader, writer))
        finally:
            upstream_writer.close()

    async def _read_request(self, reader: asyncio.StreamReader) -> str | None:
        """The host to connect to, or None when the client sent nothing.

        Raises:
            _BadRequestError: Answered with its status and sentence.
        """
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            if not error.partial:
                return None
            raise _BadRequestError("400 Bad Request", "The request ended before its headers did.") from error
        except asyncio.LimitOverrunError as error:
            raise _BadRequestError(
                "431 Request Header Fields Too Large", f"The request's headers exceed {LIMIT} bytes."
            ) from error
        line = head.split(b"\r\n", 1)[0].decode("latin-1")
        parts = line.split(" ")
        if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
            raise _BadRequestError("400 Bad Request", "This is a CONNECT proxy; that was no HTTP/1 request.")
        method, target, _ = parts
        if method != "CONNECT":
            where = target.split("?", 1)[0][:200]
            raise _BadRequestError(
                "405 Method Not Allowed",
                f"The sandbox's proxy only knows CONNECT, and forwards no plain HTTP: {method} {where}.",
            )
        return self._check(target)

    def _check(self, target: str) -> str:
        host, _, port = target.rpartition(":")
        if not host or not port.isdecimal():
            raise _BadRequestError("400 Bad Request", f'CONNECT needs host:port, not "{target[:200]}".')
        if self._hosts.find(host) is None:
            raise _BadRequestError("403 Forbidden", self._hosts.refusal(host[:200]))
        if port != "443":
            raise _BadRequestError(
                "403 Forbidden", f'The sandbox serves "{host}" on port 443 only, not on {port}.'
            )
        return host


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until the end, then half-close, so that the other direction may finish."""
    try:
        while data := await reader.read(LIMIT):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except (ConnectionError, OSError):
        # One side broke off: close both ways, which ends the other copy as well.
        writer.close()


async def _refuse(writer: asyncio.StreamWriter, status: str, sentence: str) -> None:
    body = (sentence + "\n").encode()
    allow = "Allow: CONNECT\r\n" if status.startswith("405") else ""
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n{allow}"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    writer.write(head.encode() + body)
    with contextlib.suppress(ConnectionError):
        await writer.drain()
