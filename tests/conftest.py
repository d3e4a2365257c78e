"""Fixtures for all tests: a whole sandbox in a process of its own, and its environment."""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.background import start, stop_child
from sandbox.blob.install import install
from sandbox.environment import CLEARED, environment
from sandbox.settings import Settings

# Before anything imports Prefect: its caches must not end in the user's own home.
os.environ["PREFECT_HOME"] = tempfile.mkdtemp(prefix="prefect-home-")


@dataclass(frozen=True)
class RunningSandbox:
    """A sandbox that other processes can use as well, given its environment."""

    directory: Path
    environment: dict[str, str]

    @property
    def ca_file(self) -> Path:
        return Path(self.environment["SSL_CERT_FILE"])

    @property
    def proxy_url(self) -> str:
        return self.environment["HTTPS_PROXY"]


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    """One for the whole session, with its own folder and free ports."""
    install()
    settings = Settings(tmp_path_factory.mktemp("sandbox") / "state")
    process = start(settings, detached=False)
    try:
        yield RunningSandbox(settings.directory, environment(settings))
    finally:
        stop_child(process)


@pytest.fixture
def sandbox_env(sandbox: RunningSandbox, monkeypatch: pytest.MonkeyPatch) -> RunningSandbox:
    """The sandbox, with this process's environment leading Azure clients to it."""
    for name in CLEARED:
        monkeypatch.delenv(name, raising=False)
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    # aiohttp reads SSL_CERT_FILE once, when it is imported, which in this process was long ago.
    monkeypatch.setattr(
        "aiohttp.connector._SSL_CONTEXT_VERIFIED", ssl.create_default_context(cafile=sandbox.ca_file)
    )
    return sandbox
