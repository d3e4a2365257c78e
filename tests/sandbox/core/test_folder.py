"""The folder: format, lock, reset; ports; private files; variables."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import environment as environment_module
from sandbox.certificates import Certificates
from sandbox.endpoints import Endpoints, last_endpoints, save_endpoints
from sandbox.environment import apply, environment, shell_lines
from sandbox.folder import FORMAT, SandboxError, empty, hold, holder, prepare
from sandbox.ports import open_port
from sandbox.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "box")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_folder_is_private(settings: Settings) -> None:
    prepare(settings)
    certificates = Certificates(settings.certificates)
    certificates.loopback_files()
    assert mode(settings.directory) == 0o700
    assert mode(settings.state_file) == 0o600
    assert {mode(path) for path in settings.certificates.iterdir()} == {0o600}


def test_the_ca_stays_the_same(settings: Settings) -> None:
    prepare(settings)
    assert Certificates(settings.certificates).ca_pem == Certificates(settings.certificates).ca_pem


def test_a_folder_of_another_version_is_named_with_both_versions(settings: Settings) -> None:
    prepare(settings)
    settings.format_file.write_text("0\n")
    with pytest.raises(SandboxError, match=rf"format 0 and this is format {FORMAT}; .* reset$"):
        prepare(settings)
    assert empty(settings)
    assert not settings.directory.exists()
    prepare(settings)


def test_a_folder_with_other_things_is_left_alone(settings: Settings) -> None:
    settings.directory.mkdir()
    (settings.directory / "thesis.txt").write_text("mine")
    with pytest.raises(SandboxError, match=r'not a sandbox.s folder \(it holds "thesis.txt"\)'):
        prepare(settings)
    with pytest.raises(SandboxError, match="nothing was removed"):
        empty(settings)
    assert (settings.directory / "thesis.txt").exists()


def test_a_file_instead_of_a_folder(settings: Settings) -> None:
    settings.directory.write_text("")
    with pytest.raises(SandboxError, match="is a file"):
        prepare(settings)
    with pytest.raises(SandboxError, match="is a file"), hold(settings):
        pass


def test_only_one_process_holds_the_folder(settings: Settings) -> None:
    assert holder(settings) is None
    code = (
        "import sys; from pathlib import Path; from sandbox.folder import hold;"
        "from sandbox.settings import Settings\n"
        "with hold(Settings(Path(sys.argv[1]))): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(settings.directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        assert holder(settings) == process.pid
        with (
            pytest.raises(SandboxError, match=rf"already runs in .* \(process {process.pid}\)"),
            hold(settings),
        ):
            pass
        prepare(settings)
        with pytest.raises(SandboxError, match=f"process {process.pid}"):
            empty(settings)
        process.communicate(timeout=10)
    assert holder(settings) is None
    with hold(settings):
        pass


def test_a_wanted_port_in_use_is_one_sentence() -> None:
    with open_port(0, 0, "") as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            SandboxError, match=rf"Port {port} cannot be opened .* another --tls-port, or none"
        ):
            open_port(port, 0, "--tls-port")


def test_a_remembered_port_is_used_while_it_is_free() -> None:
    with open_port(0, 0, "") as first:
        port = first.getsockname()[1]
        with open_port(0, port, "") as second:
            assert second.getsockname()[1] != port
    with open_port(0, port, "") as third:
        assert third.getsockname()[1] == port
        assert third.getsockname()[0] == "127.0.0.1"
        # Otherwise asyncio leaves Nagle's algorithm on for what is accepted.
        assert third.proto == socket.IPPROTO_TCP


def test_no_environment_before_the_first_up(settings: Settings) -> None:
    assert last_endpoints(settings) is None
    with pytest.raises(SandboxError, match="There is no sandbox in"):
        environment(settings)


def test_the_environment_leads_to_the_sandbox_and_away_from_azure(settings: Settings) -> None:
    prepare(settings)
    save_endpoints(settings, Endpoints(1, 4711, 4712, "/x/terraform.rc"))
    variables = environment(settings)
    assert variables["HTTPS_PROXY"] == variables["https_proxy"] == "http://127.0.0.1:4711"
    assert variables["TF_CLI_CONFIG_FILE"] == "/x/terraform.rc"
    assert variables["ARM_CLIENT_SECRET"] == variables["AZURE_CLIENT_SECRET"]
    assert environment(settings) == variables
    merged = apply(variables, {"PATH": "/bin", "ARM_ACCESS_KEY": "real", "HTTPS_PROXY": "http://corp"})
    assert merged == {"PATH": "/bin", **variables}
    assert not set(environment_module.CLEARED) & set(variables)


def test_shell_lines_survive_a_shell() -> None:
    lines = shell_lines({"A": "it's $HOME `x`", "B": "2"})
    script = "\n".join(lines) + '\nprintf "%s|%s|%s" "$A" "$B" "${ARM_ACCESS_KEY-gone}"'
    done = subprocess.run(
        ["sh", "-c", script],
        env={**os.environ, "ARM_ACCESS_KEY": "real"},
        capture_output=True,
        text=True,
        timeout=10,
        check=True,
    )
    assert done.stdout == "it's $HOME `x`|2|gone"


def test_a_broken_running_file_counts_as_none(settings: Settings) -> None:
    prepare(settings)
    settings.running_file.write_text("{")
    assert last_endpoints(settings) is None
    settings.running_file.write_text(json.dumps({"pid": 1}))
    assert last_endpoints(settings) is None
