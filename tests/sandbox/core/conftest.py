"""The core in this process, with a control plane that answers what the test wants."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sandbox.blob.accounts import Accounts
from sandbox.blob.install import install
from sandbox.certificates import Certificates
from sandbox.entra.graph import Graph
from sandbox.entra.service import Entra
from sandbox.entra.tokens import Principal, Tokens
from sandbox.hosts import Hosts
from sandbox.identity import Identity, identity_of
from sandbox.ports import open_port
from sandbox.proxy import Proxy
from sandbox.state import State
from sandbox.tls_server import TlsServer


@dataclass
class Rights:
    """A control plane: which accounts there are, and who may do what."""

    accounts: set[str] = field(default_factory=set)
    may_read: bool = True
    may_write: bool = True
    shared_keys: bool = False
    asked: list[tuple[str, str | None, bool]] = field(default_factory=list)

    def blob_allowed(self, principal: Principal, account: str, container: str | None, write: bool) -> bool:
        assert principal.object_id
        self.asked.append((account, container, write))
        return self.may_write if write else self.may_read

    def shared_key_allowed(self, account: str) -> bool:
        return self.shared_keys and account in self.accounts

    def blob_account_exists(self, account: str) -> bool:
        return account in self.accounts

    def kubernetes_groups(self, principal: Principal, cluster_host: str) -> tuple[str, ...] | None:
        assert principal.object_id
        assert cluster_host
        return None


@dataclass
class Core:
    """Proxy, TLS server, Entra ID and blobs, running."""

    hosts: Hosts
    identity: Identity
    tokens: Tokens
    accounts: Accounts
    rights: Rights
    certificates: Certificates
    proxy_port: int
    tls_port: int

    @property
    def proxy_url(self) -> str:
        return f"http://127.0.0.1:{self.proxy_port}"


@pytest.fixture
async def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Core]:
    state = State()
    identity = identity_of(state)
    tokens = Tokens(state, identity)
    certificates = Certificates(tmp_path / "certificates")
    accounts = Accounts(tmp_path / "blobs", state, identity, tokens, certificates)
    rights = Rights()
    accounts.authorize_with(rights)
    hosts = Hosts()
    hosts.register("login.microsoftonline.com", Entra(identity, tokens).handle)
    hosts.register("graph.microsoft.com", Graph(tokens).handle)
    hosts.register(
        "*.blob.core.windows.net", accounts.handler, exists=accounts.exists, missing="no such account"
    )
    tls = TlsServer(hosts, certificates)
    tls_port = await tls.start(open_port(0, 0, ""))
    proxy = Proxy(hosts, tls_port)
    proxy_port = await proxy.start(open_port(0, 0, ""))
    await accounts.start()
    running = Core(hosts, identity, tokens, accounts, rights, certificates, proxy_port, tls_port)
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, running.proxy_url)
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, str(certificates.ca_file))
    # aiohttp reads SSL_CERT_FILE once, when it is imported, which in this process was long ago.
    monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", certificates.client_context())
    yield running
    await proxy.stop()
    await tls.stop()
    await accounts.stop()
    state.close()


@pytest.fixture(scope="session")
def azurite() -> None:
    """Azurite, installed if it is not."""
    install()
