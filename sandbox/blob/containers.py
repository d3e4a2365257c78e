"""Container operations that ARM does on behalf of its callers, sent straight to Azurite."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree as ET

import aiohttp
from yarl import URL

__all__ = ["Containers", "StorageRefusedError"]

_VERSION = "2025-11-05"


class StorageRefusedError(Exception):
    """Azurite answered with an error; the message has its code."""


class Containers:
    """The containers of one account.

    Args:
        bearer: Gives a token whose audience is Azure Storage.
    """

    def __init__(
        self, session: aiohttp.ClientSession, account: str, port: int, bearer: Callable[[], str]
    ) -> None:
        self._session = session
        self._account = account
        self._base = f"https://127.0.0.1:{port}"
        self._bearer = bearer

    async def create(self, name: str) -> bool:
        """False: it was there."""
        status, code, _ = await self._send("PUT", f"/{name}?restype=container")
        return self._done(status, code, 201, "ContainerAlreadyExists", f"creating the container '{name}'")

    async def delete(self, name: str) -> bool:
        """False: there was none."""
        status, code, _ = await self._send("DELETE", f"/{name}?restype=container")
        return self._done(status, code, 202, "ContainerNotFound", f"deleting the container '{name}'")

    async def list_names(self) -> list[str]:
        names: list[str] = []
        marker = ""
        while True:
            status, code, body = await self._send("GET", f"/?comp=list&marker={marker}")
            self._done(status, code, 200, "", "listing the containers")
            root = ET.fromstring(body)  # noqa: S314 - our own Azurite's answer
            names += [node.text or "" for node in root.iterfind("Containers/Container/Name")]
            marker = root.findtext("NextMarker") or ""
            if not marker:
                return names

    async def _send(self, method: str, path: str) -> tuple[int, str, bytes]:
        headers = {
            "Host": f"{self._account}.blob.core.windows.net",
            "Authorization": f"Bearer {self._bearer()}",
            "x-ms-version": _VERSION,
        }
        url = URL(self._base + path, encoded=True)
        timeout = aiohttp.ClientTimeout(total=30)
        async with self._session.request(method, url, headers=headers, timeout=timeout) as answer:
            return answer.status, answer.headers.get("x-ms-error-code", ""), await answer.read()

    def _done(self, status: int, code: str, good: int, harmless: str, activity: str) -> bool:
        if status == good:
            return True
        if harmless and code == harmless:
            return False
        raise StorageRefusedError(f"{activity} of '{self._account}': {status} {code}")
