"""Stopping what a process started: each is asked once, and the process itself goes on."""

import os
import sys
import time
from pathlib import Path

import psutil

from demo.processes import Processes

# The worker's place: a flow run below it, and Terraform below that, which gives up at a second signal.
TERRAFORM = (
    "import signal, sys, time\n"
    "asked = []\n"
    "signal.signal(signal.SIGTERM, lambda *_: asked.append(1))\n"
    "open(sys.argv[1] + '/ready', 'w').close()\n"
    "while not asked: time.sleep(0.02)\n"
    "time.sleep(0.5)\n"
    "open(sys.argv[1] + '/asked', 'w').write(str(len(asked)))\n"
)
FLOW_RUN = (
    "import signal, subprocess, sys\n"
    "child = subprocess.Popen([sys.executable, '-c', sys.argv[2], sys.argv[1]], start_new_session=True)\n"
    "signal.signal(signal.SIGTERM, lambda *_: child.terminate())\n"
    "child.wait()\n"
)
WORKER = (
    "import subprocess, sys, time\n"
    "subprocess.Popen([sys.executable, '-c', sys.argv[3], sys.argv[1], sys.argv[2]]).wait()\n"
    "time.sleep(60)\n"
)


def test_terraform_below_a_flow_run_is_asked_to_stop_once(tmp_path: Path) -> None:
    processes = Processes(tmp_path / "demo")
    command = [sys.executable, "-c", WORKER, str(tmp_path), TERRAFORM, FLOW_RUN]
    processes.start("worker", command, os.environ, tmp_path)
    end = time.monotonic() + 20
    while not (tmp_path / "ready").exists() and time.monotonic() < end:
        time.sleep(0.05)
    try:
        processes.stop_below("worker", grace=10)
        assert (tmp_path / "asked").read_text() == "1"
        (pid,) = processes.pids()
        assert psutil.Process(pid).is_running()
    finally:
        processes.stop_all(grace=5)
