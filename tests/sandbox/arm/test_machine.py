"""The shell and the programs inside a VM."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sandbox.arm.machine.shell import run
from sandbox.arm.machine.state import KERNEL, Machine

A100 = Machine("gpu1", 2, "A100 80GB PCIe", driver_installed=True, secure_boot=False, seed="/vm")
T4 = replace(A100, gpus=1, gpu="T4")


@pytest.mark.parametrize(
    ("script", "stdout", "code"),
    [
        (
            "nvidia-smi --query-gpu=index,name --format=csv",
            "index, name\n0, NVIDIA A100 80GB PCIe\n1, NVIDIA A100 80GB PCIe\n",
            0,
        ),
        ("nvidia-smi --query-gpu=memory.total --format=csv", "memory.total [MiB]\n81920 MiB\n81920 MiB\n", 0),
        ("nvidia-smi --query-gpu=memory.total --format=csv,noheader,nounits", "81920\n81920\n", 0),
        ("nvidia-smi --query-gpu=mig.mode.current --format=csv,noheader", "Disabled\nDisabled\n", 0),
        (
            "nvidia-smi --query-gpu=colour --format=csv",
            'Field "colour" is not a valid field to query.\n\n',
            2,
        ),
        ("nvidia-smi -L | wc -l", "2\n", 0),
        ("uname -r", f"{KERNEL}\n", 0),
        ("mokutil --sb-state", "SecureBoot disabled\n", 0),
        ("false; rc=$?; echo rc=$rc", "rc=1\n", 0),
        ("false || echo no && echo yes", "no\nyes\n", 0),
        ("true || echo no", "", 0),
        ("dmesg | grep -i xid | tail -n 5; echo rc=$?", "rc=0\n", 0),
        ("dmesg | grep -iE 'NVRM: (loading|xid)' | tail -1 | grep -c loading", "1\n", 0),
        ("echo 'a; b' \"c | d\" # no", "a; b c | d\n", 0),
        ("nope 2>/dev/null; echo $?", "127\n", 0),
        ("exit 7\necho never", "", 7),
    ],
)
def test_scripts(script: str, stdout: str, code: int) -> None:
    result = run([script], A100, "/script.sh")
    assert (result.stdout, result.code) == (stdout, code)


def test_what_is_not_there() -> None:
    result = run(["echo ok", "lspci -nn"], T4, "/script.sh")
    assert (result.stdout, result.stderr, result.code) == ("ok\n", "/script.sh: 2: lspci: not found\n", 127)
    merged = run(["lspci 2>&1"], T4, "/script.sh")
    assert (merged.stdout, merged.stderr) == ("/script.sh: 1: lspci: not found\n", "")
    loop = run(["for i in 1 2", "do echo $i", "done"], T4, "/script.sh")
    assert (loop.code, loop.stdout) == (2, "")
    assert 'no "for"' in loop.stderr


def test_the_driver_is_there_only_when_installed_and_loaded() -> None:
    absent = run(["nvidia-smi -L"], replace(T4, driver_installed=False), "/s")
    assert (absent.code, absent.stderr) == (127, "/s: 1: nvidia-smi: not found\n")
    blocked = run(["nvidia-smi", "echo rc=$?"], replace(T4, secure_boot=True), "/s")
    assert blocked.stdout.endswith("\n\nrc=9\n")


def test_gpu_ids_are_stable_and_distinct() -> None:
    command = ["nvidia-smi --query-gpu=uuid --format=csv,noheader"]
    first, second = (run(command, A100, "/s").stdout for _ in range(2))
    assert first == second
    assert len(set(first.split())) == 2
    table = run(["nvidia-smi"], A100, "/s").stdout
    assert table.count("NVIDIA A100 80GB PCIe") == 2
    assert "Driver Version: 580." in table
