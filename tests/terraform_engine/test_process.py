"""A subprocess always ends: by itself, at its deadline, or when its parent is asked to stop."""

from __future__ import annotations

import _thread
import os
import subprocess
import threading
import time
from pathlib import Path

import psutil
import pytest

import gpuplatform
from gpuplatform.errors import DeadlineExceeded
from gpuplatform.terraform.process import Finished, run_process
from tests.terraform_engine.conftest import python


def run(source: str, directory: Path, *, timeout: float = 20, grace: float = 5, lines: list[str]) -> Finished:
    return run_process(
        python(source),
        directory=directory,
        environment=dict(os.environ),
        timeout=timeout,
        grace=grace,
        activity="trying",
        on_line=lines.append,
    )


def gone(pid_file: Path) -> bool:
    pid = int(pid_file.read_text())
    until = time.monotonic() + 5
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_lines_exit_code_and_stderr(tmp_path: Path) -> None:
    lines: list[str] = []
    done = run(
        "import sys; print('one'); print('two'); print('oh', file=sys.stderr); sys.exit(2)",
        tmp_path,
        lines=lines,
    )
    assert (done.exit_code, done.stderr.strip()) == (2, "oh")
    assert lines == ["one", "two"]


def test_stderr_keeps_its_end_only(tmp_path: Path) -> None:
    done = run("import sys; sys.stderr.write('x' * 200_000 + 'END')", tmp_path, lines=[])
    assert done.stderr.endswith("xEND")
    assert len(done.stderr) <= 64 * 1024


def test_deadline_asks_first(tmp_path: Path) -> None:
    source = """
import signal, sys, time
def stop(*_):
    open('saved', 'w').close()
    sys.exit(1)
signal.signal(signal.SIGTERM, stop)
print('ready', flush=True)
time.sleep(60)
"""
    with pytest.raises(DeadlineExceeded, match=r"trying took more than 1 s; it was asked to stop and did"):
        run(source, tmp_path, timeout=1, lines=[])
    assert (tmp_path / "saved").exists()


def test_deadline_kills_the_whole_group_after_the_grace(tmp_path: Path) -> None:
    source = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
open('child', 'w').write(str(child.pid))
open('leader', 'w').write(str(os.getpid()))
time.sleep(60)
"""
    with pytest.raises(DeadlineExceeded, match="was killed"):
        run(source, tmp_path, timeout=1, grace=0.5, lines=[])
    assert gone(tmp_path / "leader")
    assert gone(tmp_path / "child")


def test_a_child_left_behind_does_not_hold_the_run(tmp_path: Path) -> None:
    source = """
import subprocess, sys
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
open('child', 'w').write(str(child.pid))
print('done')
"""
    lines: list[str] = []
    assert run(source, tmp_path, lines=lines).exit_code == 0
    assert lines == ["done"]
    assert gone(tmp_path / "child")


def test_interrupt_of_the_parent_stops_the_program(tmp_path: Path) -> None:
    source = """
import os, signal, sys, time
open('leader', 'w').write(str(os.getpid()))
def stop(*_):
    open('saved', 'w').close()
    sys.exit(1)
signal.signal(signal.SIGTERM, stop)
print('ready', flush=True)
time.sleep(60)
"""

    def interrupt(_: str) -> None:
        threading.Timer(0.3, _thread.interrupt_main).start()

    with pytest.raises(KeyboardInterrupt):
        run_process(
            python(source),
            directory=tmp_path,
            environment=dict(os.environ),
            timeout=30,
            grace=5,
            activity="trying",
            on_line=interrupt,
        )
    assert (tmp_path / "saved").exists()
    assert gone(tmp_path / "leader")


def test_the_program_is_in_its_own_session(tmp_path: Path) -> None:
    lines: list[str] = []
    run("import os; print(os.getsid(0) == os.getpid())", tmp_path, lines=lines)
    assert lines == ["True"]


def test_the_program_outlives_a_killed_parent(tmp_path: Path) -> None:
    """A killed worker must not take the apply with it: the state of what it made would be lost."""
    child = (
        "import time\nfor n in range(20): print(n, flush=True); time.sleep(0.1)\nopen('saved', 'w').close()"
    )
    parent = f"""
import os, sys
sys.path.insert(0, {str(Path(gpuplatform.__file__).parent.parent)!r})
from pathlib import Path
from gpuplatform.terraform.process import run_process
run_process([sys.executable, '-c', {child!r}], directory=Path.cwd(), environment=dict(os.environ),
            timeout=30, grace=1, activity='', on_line=lambda _: print('line', flush=True))
"""
    with subprocess.Popen(python(parent), cwd=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"line\n"
        process.kill()
    until = time.monotonic() + 20
    while not (tmp_path / "saved").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
