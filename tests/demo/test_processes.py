"""Processes of the demo stop when told, with their children, and survive being forgotten."""

import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from demo.errors import DemoError
from demo.processes import Processes

PARENT = (
    "import subprocess, sys, time;"
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
    "time.sleep(60)"
)


def _children(processes: Processes, number: int) -> list[psutil.Process]:
    (pid,) = processes.pids()
    end = time.monotonic() + 10
    while len(found := psutil.Process(pid).children(recursive=True)) < number and time.monotonic() < end:
        time.sleep(0.05)
    assert len(found) == number
    return found


def test_stop_ends_the_whole_tree(tmp_path: Path) -> None:
    processes = Processes(tmp_path)
    processes.start("parent", [sys.executable, "-c", PARENT], os.environ, tmp_path)
    (child,) = _children(processes, 1)
    processes.stop_all(grace=5)
    assert not child.is_running()


def test_leftovers_of_a_killed_demo_are_stopped(tmp_path: Path) -> None:
    first = Processes(tmp_path)
    first.start("server", [sys.executable, "-c", "import time; time.sleep(60)"], os.environ, tmp_path)
    (pid,) = first.pids()
    assert Processes(tmp_path).stop_leftovers() == ["server"]
    first.stop_all()
    assert not psutil.pid_exists(pid)
    assert Processes(tmp_path).stop_leftovers() == []


def test_a_process_that_ended_is_reported_with_its_last_words(tmp_path: Path) -> None:
    processes = Processes(tmp_path)
    processes.start("server", [sys.executable, "-c", "print('port taken'); exit(3)"], os.environ, tmp_path)
    processes._children["server"].wait(timeout=10)
    with pytest.raises(DemoError, match=r"(?s)server ended with exit code 3.*port taken"):
        processes.check("server")
    processes.stop_all()
