"""A very small `sh`: commands, pipes, `;` `&&` `||`, `$?`, variables, redirections to nowhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from sandbox.arm.machine.programs import find
from sandbox.arm.machine.state import Machine, Output

__all__ = ["run"]

_TO_NOWHERE = re.compile(r"(?P<which>[12&]?)>>?\s*/dev/null")
_MERGE = re.compile(r"2>&1")
_TO_STDERR = re.compile(r"1?>&2")
_VARIABLE = re.compile(r"\$(?:\{(\w+|\?)\}|(\w+|\?))")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_UNSUPPORTED = {
    "if",
    "then",
    "fi",
    "for",
    "while",
    "until",
    "do",
    "done",
    "case",
    "esac",
    "function",
    "{",
    "(",
}


@dataclass
class _Session:
    machine: Machine
    script: str
    line: int = 0
    code: int = 0
    ended: bool = False
    variables: dict[str, str] = field(default_factory=dict)
    stdout: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)


def run(script: Sequence[str], machine: Machine, path: str) -> Output:
    """Run a script that is stored at `path` in the machine; its exit code is the last command's."""
    session = _Session(machine, path)
    text = "\n".join(script).replace("\\\n", " ")
    for number, line in enumerate(text.split("\n"), start=1):
        session.line = number
        try:
            _run_line(session, line)
        except ValueError as error:  # shlex: an open quotation
            session.stderr.append(f"{path}: {number}: Syntax error: {error}\n")
            session.code, session.ended = 2, True
        if session.ended:
            break
    return Output(session.code, "".join(session.stdout), "".join(session.stderr))


def _tokens(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";|&()")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    return list(lexer)


def _run_line(session: _Session, line: str) -> None:
    marked = _MERGE.sub(" \x01merge ", line)
    marked = _TO_STDERR.sub(" \x01swap ", marked)
    marked = _TO_NOWHERE.sub(lambda found: f" \x01drop{found['which'] or '1'} ".replace("&", "a"), marked)
    pipeline: list[list[str]] = [[]]
    joint = ";"
    for token in [*_tokens(marked), ";"]:
        if token == "|":  # noqa: S105  # a shell token, no secret
            pipeline.append([])
        elif token in {";", "&&", "||"}:
            wanted = {"&&": session.code == 0, "||": session.code != 0}.get(joint, True)
            if wanted and pipeline != [[]]:
                _run_pipeline(session, pipeline)
            if session.ended:
                return
            pipeline, joint = [[]], token
        else:
            pipeline[-1].append(token)


def _run_pipeline(session: _Session, pipeline: list[list[str]]) -> None:
    stdin = ""
    for words in pipeline:
        output = _run_command(session, words, stdin)
        session.code = output.code
        session.stderr.append(output.stderr)
        stdin = output.stdout
        if session.ended:
            break
    session.stdout.append(stdin)


def _run_command(session: _Session, words: list[str], stdin: str) -> Output:
    marks = [word for word in words if word.startswith("\x01")]
    plain = [_expand(session, word) for word in words if not word.startswith("\x01")]
    while plain and _ASSIGNMENT.match(plain[0]):
        name, _, value = plain.pop(0).partition("=")
        session.variables[name] = value
    if plain[:1] == ["export"]:
        session.variables.update(word.split("=", 1) for word in plain[1:] if "=" in word)  # type: ignore[misc]  # two parts each
        plain = []
    if plain[:1] == ["sudo"]:
        plain = plain[1:]
    output = Output(0) if not plain else _call(session, plain, stdin)
    return _redirect(output, marks)


def _call(session: _Session, words: list[str], stdin: str) -> Output:
    name, arguments = words[0], words[1:]
    if name == "exit":
        session.ended = True
        return Output(int(arguments[0]) if arguments and arguments[0].isdecimal() else session.code)
    where = f"{session.script}: {session.line}: "
    if name in _UNSUPPORTED:
        session.ended = True
        return Output(2, "", f'{where}Syntax error: the shell of this sandbox has no "{name}"\n')
    program = find(name, session.machine)
    if program is None:
        return Output(127, "", f"{where}{name}: not found\n")
    return program(session.machine, arguments, stdin)


def _redirect(output: Output, marks: list[str]) -> Output:
    stdout, stderr = output.stdout, output.stderr
    for mark in marks:
        if mark == "\x01merge":
            stdout, stderr = stdout + stderr, ""
        elif mark == "\x01swap":
            stdout, stderr = "", stderr + stdout
        else:
            stdout = "" if mark[-1] in "1a" else stdout
            stderr = "" if mark[-1] in "2a" else stderr
    return Output(output.code, stdout, stderr)


def _expand(session: _Session, word: str) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return str(session.code) if name == "?" else session.variables.get(name, "")

    return _VARIABLE.sub(value, word)
