"""The blob services of all storage accounts: started when needed, kept until the account goes."""

from __future__ import annotations

import asyncio
import base64
import logging
import secrets
import shutil
from pathlib import Path

import aiohttp
from aiohttp import web

from sandbox.blob.authorization import Authorizer
from sandbox.blob.azurite import Azurite, AzuriteError, Launch
from sandbox.blob.containers import Containers
from sandbox.blob.errors import StorageError, error_response
from sandbox.blob.front import Front
from sandbox.certificates import Certificates
from sandbox.data_plane import DataPlane
from sandbox.entra.tokens import Tokens
from sandbox.folder import SandboxError
from sandbox.hosts import bare
from sandbox.identity import Identity
from sandbox.state import State

__all__ = ["Accounts"]

_log = logging.getLogger(__name__)

_SUFFIX = ".blob.core.windows.net"


class Accounts:
    """One Azurite an account, in `folder`/name; the accounts' keys are kept in the state."""

    def __init__(
        self, folder: Path, state: State, identity: Identity, tokens: Tokens, certificates: Certificates
    ) -> None:
        self._folder = folder
        self._keys = state.table("storage_keys")
        self._identity = identity
        self._tokens = tokens
        self._certificates = certificates
        self._front = Front(certificates.client_context())
        self._running: dict[str, Azurite] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._files: tuple[Path, Path] | None = None
        self._data_plane: DataPlane | None = None
        self._authorizer: Authorizer | None = None

    def authorize_with(self, data_plane: DataPlane) -> None:
        """Must be called before the first request: it answers who may do what."""
        self._data_plane = data_plane
        self._authorizer = Authorizer(self._tokens, data_plane, self._identity.tenant_id)

    async def start(self) -> None:
        self._files = self._certificates.loopback_files()
        await self._front.start()

    async def stop(self) -> None:
        """End all blob services; their data stays."""
        await self._front.stop()
        running, self._running = list(self._running.values()), {}
        await asyncio.gather(*(azurite.stop() for azurite in running))

    async def ensure(self, name: str) -> None:
        """Make the account ready to serve: a new one's blob service is started here.

        One that has data from before is left to its first request, so that `up` need not wait for all.

        Raises:
            AzuriteError: It did not start.
            SandboxError: Azurite is not installed.
        """
        if not (self._folder / name).exists():
            await self._azurite(name)

    async def remove(self, name: str) -> None:
        """End the account's blob service and delete its blobs and keys."""
        async with self._lock(name):
            azurite = self._running.pop(name, None)
            if azurite is not None:
                await azurite.stop()
            await asyncio.to_thread(shutil.rmtree, self._folder / name, ignore_errors=True)
            self._keys.pop(name, None)

    async def create_container(self, account: str, container: str) -> bool:
        """False: it existed."""
        return await (await self._containers(account)).create(container)

    async def delete_container(self, account: str, container: str) -> bool:
        """False: there was none."""
        return await (await self._containers(account)).delete(container)

    async def list_containers(self, account: str) -> list[str]:
        return await (await self._containers(account)).list_names()

    def keys(self, name: str) -> tuple[str, str]:
        """The account's two keys, base64; made at the first call."""
        if name not in self._keys:
            self._keys[name] = [base64.b64encode(secrets.token_bytes(64)).decode() for _ in range(2)]
        first, second = self._keys[name]
        return first, second

    def running(self) -> dict[str, int]:
        """The pid of each running blob service."""
        return {name: azurite.pid for name, azurite in self._running.items() if azurite.running}

    def exists(self, host: str) -> bool:
        """Whether the host is that of a storage account that ARM knows."""
        account = host.removesuffix(_SUFFIX)
        return self._data_plane is not None and self._data_plane.blob_account_exists(account)

    async def handler(self, request: web.Request) -> web.StreamResponse:
        """Serves `<account>.blob.core.windows.net`."""
        account = bare(request.host).removesuffix(_SUFFIX)
        try:
            self._authorize(request, account)
            azurite = await self._azurite(account)
            return await self._front.forward(request, azurite.port)
        except StorageError as error:
            return error_response(error, request)
        except (AzuriteError, SandboxError, aiohttp.ClientError) as error:
            _log.warning("blob request for %s: %s", account, error)
            return error_response(StorageError(503, "ServerBusy", f"The blob service: {error}"), request)

    def _authorize(self, request: web.Request, account: str) -> None:
        if self._authorizer is None or not self.exists(bare(request.host)):
            raise StorageError(404, "ResourceNotFound", f"There is no storage account '{account}'.")
        self._authorizer.check(request, account)

    async def _containers(self, account: str) -> Containers:
        azurite = await self._azurite(account)
        return Containers(self._front.session, account, azurite.port, self._bearer)

    def _bearer(self) -> str:
        return self._tokens.issue(self._identity.client_id, "https://storage.azure.com")

    async def _azurite(self, name: str) -> Azurite:
        azurite = self._running.get(name)
        if azurite is not None and azurite.running:
            return azurite
        async with self._lock(name):
            azurite = self._running.get(name)
            if azurite is None or not azurite.running:
                if self._files is None:
                    raise SandboxError("The blob services are not started.")
                certificate, key = self._files
                launch = Launch(name, self.keys(name), self._folder / name, certificate, key)
                azurite = self._running[name] = await Azurite.start(launch)
            return azurite

    def _lock(self, name: str) -> asyncio.Lock:
        return self._locks.setdefault(name, asyncio.Lock())
