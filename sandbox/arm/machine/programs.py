"""The other programs a script may call: echo, uname, mokutil, dmesg, grep, head, tail, wc."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sandbox.arm.machine.nvidia_smi import nvidia_smi
from sandbox.arm.machine.state import DRIVER_VERSION, KERNEL, Machine, Output

__all__ = ["Program", "find"]

Program = Callable[[Machine, Sequence[str], str], Output]


def _lines(text: str) -> list[str]:
    return text.splitlines()


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _echo(_machine: Machine, arguments: Sequence[str], _stdin: str) -> Output:
    plain = arguments[1:] if arguments[:1] == ["-n"] else arguments
    return Output(0, " ".join(plain) + ("" if arguments[:1] == ["-n"] else "\n"))


def _uname(machine: Machine, arguments: Sequence[str], _stdin: str) -> Output:
    answers = {"-r": KERNEL, "-n": machine.host, "-m": "x86_64", "-s": "Linux", "": "Linux"}
    wanted = arguments[0] if arguments else ""
    if wanted == "-a":
        return Output(0, f"Linux {machine.host} {KERNEL} #1 SMP x86_64 x86_64 x86_64 GNU/Linux\n")
    if wanted not in answers:
        return Output(1, "", f"uname: invalid option -- '{wanted}'\n")
    return Output(0, answers[wanted] + "\n")


def _mokutil(machine: Machine, arguments: Sequence[str], _stdin: str) -> Output:
    if list(arguments) != ["--sb-state"]:
        return Output(1, "", "Usage:\n  mokutil OPTIONS [ARGS...]\n")
    return Output(0, f"SecureBoot {'enabled' if machine.secure_boot else 'disabled'}\n")


def _dmesg(machine: Machine, _arguments: Sequence[str], _stdin: str) -> Output:
    lines = [
        f"[    0.000000] Linux version {KERNEL}",
        "[    0.000000] Hypervisor detected: Microsoft Hyper-V",
    ]
    if machine.driver_installed and machine.secure_boot:
        lines.append("[    6.113052] nvidia: module verification failed: required key not available")
    elif machine.driver_loaded:
        lines += [
            "[    6.113052] nvidia-nvlink: Nvlink Core is being initialized, major device number 236",
            f"[    6.204311] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {DRIVER_VERSION}",
        ]
    return Output(0, _text(lines))


def _grep(_machine: Machine, arguments: Sequence[str], stdin: str) -> Output:
    flags = "".join(argument[1:] for argument in arguments if re.fullmatch(r"-[a-zA-Z]+", argument))
    patterns = [argument for argument in arguments if not re.fullmatch(r"-[a-zA-Z]+", argument)]
    if not patterns or set(flags) - set("iEvcqoF"):
        return Output(2, "", "Usage: grep [OPTION]... PATTERNS [FILE]...\n")
    text = re.escape(patterns[0]) if "F" in flags else patterns[0]
    if "E" not in flags and "F" not in flags:
        text = text.replace(r"\|", "|")
    try:
        pattern = re.compile(text, re.IGNORECASE if "i" in flags else 0)
    except re.error as error:
        return Output(2, "", f"grep: {error}\n")
    kept = [line for line in _lines(stdin) if (pattern.search(line) is None) == ("v" in flags)]
    code = 0 if kept else 1
    if "q" in flags:
        return Output(code)
    if "c" in flags:
        return Output(code, f"{len(kept)}\n")
    if "o" in flags:
        kept = [found[0] for line in kept for found in pattern.finditer(line)]
    return Output(code, _text(kept))


def _count(arguments: Sequence[str]) -> int:
    digits = re.sub(r"\D", "", " ".join(arguments))
    return int(digits) if digits else 10


def _head(_machine: Machine, arguments: Sequence[str], stdin: str) -> Output:
    return Output(0, _text(_lines(stdin)[: _count(arguments)]))


def _tail(_machine: Machine, arguments: Sequence[str], stdin: str) -> Output:
    count = _count(arguments)
    return Output(0, _text(_lines(stdin)[-count:] if count else []))


def _wc(_machine: Machine, arguments: Sequence[str], stdin: str) -> Output:
    if list(arguments) != ["-l"]:
        return Output(1, "", "wc: the sandbox counts lines only (-l)\n")
    return Output(0, f"{len(_lines(stdin))}\n")


def _cat(machine: Machine, arguments: Sequence[str], stdin: str) -> Output:
    if not arguments:
        return Output(0, stdin)
    if list(arguments) == ["/proc/driver/nvidia/version"] and machine.driver_loaded:
        return Output(0, f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {DRIVER_VERSION}\n")
    return Output(1, "", f"cat: {arguments[0]}: No such file or directory\n")


def _nvidia_smi(machine: Machine, arguments: Sequence[str], _stdin: str) -> Output:
    return nvidia_smi(machine, arguments)


def _which(machine: Machine, arguments: Sequence[str], _stdin: str) -> Output:
    name = arguments[-1] if arguments else ""
    return Output(0, f"/usr/bin/{name}\n") if find(name, machine) is not None else Output(1)


_PROGRAMS: dict[str, Program] = {
    "cat": _cat,
    "command": _which,
    "dmesg": _dmesg,
    "echo": _echo,
    "false": lambda *_: Output(1),
    "grep": _grep,
    "head": _head,
    "hostname": lambda machine, *_: Output(0, f"{machine.host}\n"),
    "mokutil": _mokutil,
    "set": lambda *_: Output(0),
    "tail": _tail,
    "true": lambda *_: Output(0),
    "uname": _uname,
    "wc": _wc,
    "which": _which,
}


def find(name: str, machine: Machine) -> Program | None:
    """The program of that name; `nvidia-smi` comes with the driver."""
    if name.rsplit("/", 1)[-1] == "nvidia-smi" and machine.driver_installed:
        return _nvidia_smi
    return _PROGRAMS.get(name)
