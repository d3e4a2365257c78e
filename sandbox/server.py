"""All parts of the sandbox, put together in one process."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from sandbox.arm.service import Arm
from sandbox.blob.accounts import Accounts
from sandbox.certificates import Certificates
from sandbox.cluster_access import ClusterAccess
from sandbox.endpoints import Endpoints, last_endpoints, save_endpoints
from sandbox.entra.graph import Graph
from sandbox.entra.service import HOSTS as ENTRA_HOSTS
from sandbox.entra.service import Entra
from sandbox.entra.tokens import Tokens
from sandbox.folder import prepare
from sandbox.hosts import Hosts
from sandbox.identity import identity_of
from sandbox.kubernetes.clusters import Clusters
from sandbox.ports import open_port
from sandbox.proxy import Proxy
from sandbox.settings import Settings
from sandbox.state import State
from sandbox.terraform_provider.mirror import lay_mirror
from sandbox.tls_server import TlsServer

__all__ = ["Sandbox"]


class Sandbox:
    """Start it, use it, stop it; its folder must be held by this process (`folder.hold`)."""

    def __init__(self, settings: Settings) -> None:
        prepare(settings)
        self._settings = settings
        self._state = State(settings.state_file)
        self._certificates = Certificates(settings.certificates)
        identity = identity_of(self._state)
        tokens = Tokens(self._state, identity)
        self._accounts = Accounts(settings.blobs, self._state, identity, tokens, self._certificates)
        access = ClusterAccess(tokens)
        self._clusters = Clusters(self._state, access.authenticate)
        self._arm = Arm(
            self._state, identity, tokens, self._accounts, self._clusters, self._certificates.ca_pem
        )
        self._accounts.authorize_with(self._arm.data_plane)
        access.ask(self._arm.data_plane, self._arm.local_account)
        self._hosts = Hosts()
        self._register(Entra(identity, tokens), Graph(tokens))
        self._tls = TlsServer(self._hosts, self._certificates)
        self._proxy: Proxy | None = None

    async def start(self) -> Endpoints:
        """Open the ports and start the parts; clients may come when it returns.

        Raises:
            SandboxError: A port that was asked for is in use.
        """
        last = last_endpoints(self._settings)
        tls_port = await self._tls.start(
            open_port(self._settings.tls_port, last.tls_port if last else 0, "--tls-port")
        )
        proxy_socket = open_port(self._settings.proxy_port, last.proxy_port if last else 0, "--proxy-port")
        await self._accounts.start()
        await self._clusters.start()
        await self._arm.start()
        terraform_config = await asyncio.to_thread(
            lay_mirror, self._settings.terraform.resolve(), Path(sys.executable)
        )
        self._proxy = Proxy(self._hosts, tls_port)
        proxy_port = await self._proxy.start(proxy_socket)
        endpoints = Endpoints(os.getpid(), proxy_port, tls_port, str(terraform_config))
        save_endpoints(self._settings, endpoints)
        return endpoints

    async def stop(self) -> None:
        """Close the ports, then the parts behind them; what they keep is on disk."""
        if self._proxy is not None:
            await self._proxy.stop()
        await self._tls.stop()
        await self._arm.stop()
        await self._clusters.stop()
        await self._accounts.stop()
        self._state.close()

    def _register(self, entra: Entra, graph: Graph) -> None:
        for host in ENTRA_HOSTS:
            self._hosts.register(host, entra.handle)
        self._hosts.register("management.azure.com", self._arm.handle)
        self._hosts.register("graph.microsoft.com", graph.handle)
        self._hosts.register(
            "*.blob.core.windows.net",
            self._accounts.handler,
            exists=self._accounts.exists,
            missing="there is no storage account of that name",
        )
        self._hosts.register("*.azmk8s.io", self._clusters.handle)
