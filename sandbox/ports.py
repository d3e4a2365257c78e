"""Loopback ports: the one asked for, else the one of the last time, else any free one."""

from __future__ import annotations

import socket

from sandbox.folder import SandboxError

__all__ = ["open_port"]


def open_port(asked: int, remembered: int, option: str) -> socket.socket:
    """A bound socket on 127.0.0.1; 0 means no wish.

    Args:
        option: The command-line option that gave `asked`, for the message.

    Raises:
        SandboxError: The port asked for is in use, or not ours to open.
    """
    if asked:
        try:
            return _bind(asked)
        except OSError as error:
            raise SandboxError(
                f"Port {asked} cannot be opened on 127.0.0.1 ({error.strerror});"
                f" give another {option}, or none."
            ) from error
    if remembered:
        try:
            return _bind(remembered)
        except OSError:
            pass  # another program has it now: any free one will do
    return _bind(0)


def _bind(port: int) -> socket.socket:
    # With the protocol named, asyncio switches Nagle's algorithm off: 40 ms less for many requests.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # So that a port is free again at once after a stop; on Linux it does not steal a used one.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(256)
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener
