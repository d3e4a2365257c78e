"""The command line: `python -m sandbox up | run | env | status | down | reset | install`."""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from sandbox.background import start, stop
from sandbox.blob.install import install
from sandbox.environment import environment, shell_lines
from sandbox.folder import SandboxError, empty, holder
from sandbox.program import program
from sandbox.run_command import run_command
from sandbox.settings import Settings, default_directory
from sandbox.status import print_status, usage

__all__ = ["main"]

_EPILOG = """\
typical use:
  python -m sandbox install                once: fetch the blob service
  python -m sandbox up --detach            start it and come back
  eval "$(python -m sandbox env)"          lead this shell's Azure clients to it
  python -m sandbox run -- terraform plan  or only one command
  python -m sandbox down                   stop; everything is still there at the next `up`

exit codes: 0 done, 1 a sentence on standard error says what is wrong, 2 wrong usage, 3 not up;
`run` ends with the command's own code (128 + n when signal n ended it).
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code."""
    arguments = _parser().parse_args(argv)
    try:
        return _run(arguments)
    except SandboxError as error:
        print(error, file=sys.stderr)
        return 1
    except sqlite3.DatabaseError as error:
        print(
            f"The state in {arguments.dir} is damaged ({error}); start anew with:"
            f" {program()} --dir {arguments.dir} reset",
            file=sys.stderr,
        )
        return 1
    except OSError as error:
        if error.filename is None:
            raise
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _run(arguments: argparse.Namespace) -> int:
    settings = Settings(arguments.dir)
    match arguments.command:
        case "up":
            return _up(arguments)
        case "run":
            return run_command(settings, _command(arguments.argv))
        case "env":
            return _env(settings, as_json=arguments.json)
        case "status":
            return print_status(settings)
        case "down":
            stopped = stop(settings)
            print("Stopped." if stopped else f"No sandbox runs in {settings.directory}.")
            return 0
        case "reset":
            return _reset(settings, confirmed=arguments.yes)
        case _:
            print("Azurite is installed." if install() else "Azurite was installed already.")
            return 0


def _up(arguments: argparse.Namespace) -> int:
    settings = Settings(arguments.dir, arguments.proxy_port, arguments.tls_port)
    if arguments.detach:
        start(settings, detached=True)
        print(usage(settings))
        return 0
    from sandbox.foreground import up  # noqa: PLC0415 - the servers: no other command should load them

    return up(settings, until_eof=arguments.until_eof)


def _env(settings: Settings, *, as_json: bool) -> int:
    if holder(settings) is None:
        print(f"No sandbox runs in {settings.directory}; start one: {program()} up", file=sys.stderr)
        return 3
    variables = environment(settings)
    print(json.dumps(variables, indent=2) if as_json else "\n".join(shell_lines(variables)))
    return 0


def _reset(settings: Settings, *, confirmed: bool) -> int:
    if not confirmed:
        if not sys.stdin.isatty():
            print("Nothing was removed: `reset` without a terminal needs --yes.", file=sys.stderr)
            return 2
        answer = input(f"Remove everything that the sandbox keeps in {settings.directory}? [y/N] ")
        if answer.strip().lower() not in ("y", "yes"):
            print("Nothing was removed.")
            return 1
    print("Removed." if empty(settings) else "There was nothing to remove.")
    return 0


def _command(argv: list[str]) -> list[str]:
    command = argv[1:] if argv[:1] == ["--"] else argv
    if not command:
        raise SandboxError(f"`run` needs a command: {program()} run -- COMMAND")
    return command


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is no port (1 to 65535)")
    return int(text)


def _folder_option(default: Path | str) -> argparse.ArgumentParser:
    """`--dir`, which may stand before the command or after it."""
    parent = argparse.ArgumentParser(add_help=False)
    parent.add_argument(
        "--dir",
        type=Path,
        default=default,
        help="where it keeps its things (default: $SANDBOX_DIR, else .sandbox)",
    )
    return parent


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox",
        description="A local Azure that unmodified Azure clients work against.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_folder_option(default_directory())],
    )
    folder = _folder_option(argparse.SUPPRESS)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    up = commands.add_parser("up", parents=[folder], help="start it, in the foreground")
    up.add_argument("--detach", action="store_true", help="return once it is ready")
    up.add_argument("--proxy-port", type=_port, default=0, metavar="N", help="of the CONNECT proxy")
    up.add_argument("--tls-port", type=_port, default=0, metavar="N", help="of the servers behind it")
    up.add_argument("--until-eof", action="store_true", help=argparse.SUPPRESS)

    run = commands.add_parser(
        "run", parents=[folder], help="run a command against it; starts one for the command if none is up"
    )
    run.add_argument("argv", nargs=argparse.REMAINDER, metavar="-- COMMAND …")

    env = commands.add_parser("env", parents=[folder], help="print its environment variables for a shell")
    env.add_argument("--json", action="store_true", help="as a JSON object")

    commands.add_parser("status", parents=[folder], help="is it up, and where (exit code 3: it is not)")
    commands.add_parser("down", parents=[folder], help="stop it")
    reset = commands.add_parser("reset", parents=[folder], help="remove everything that it keeps")
    reset.add_argument("--yes", action="store_true", help="do not ask")
    commands.add_parser("install", parents=[folder], help="install the blob service (Azurite); repeatable")
    return parser
