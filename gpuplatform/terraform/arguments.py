"""The command lines of Terraform, made with python-terraform; nothing is run here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from python_terraform import IsFlagged, Terraform  # type: ignore[import-untyped]  # it ships no types

__all__ = ["Arguments"]


class Arguments:
    """Builds argument lists for one program and one working directory.

    `-input=false` and `-no-color` are always there, where the command knows them.
    """

    def __init__(self, program: Path, directory: Path) -> None:
        self._terraform = Terraform(working_dir=str(directory), terraform_bin_path=str(program))

    def _build(self, command: str, *positional: str, **options: Any) -> list[str]:
        words: list[str] = list(self._terraform.generate_cmd_string(command, **options))
        return [*words, *positional]

    def init(self, *, backend_config: Mapping[str, str] | None = None) -> list[str]:
        """`terraform init` with the backend's configuration."""
        return self._build(
            "init",
            input=False,
            no_color=IsFlagged,
            json=IsFlagged,
            backend_config=dict(backend_config or {}),
        )

    def plan(
        self, *, out: Path, lock_timeout_seconds: int, var_files: Sequence[Path] = (), refresh: bool = True
    ) -> list[str]:
        """`terraform plan` into a file; exit code 2 says that there are changes."""
        return self._build(
            "plan",
            input=False,
            no_color=IsFlagged,
            json=IsFlagged,
            detailed_exitcode=IsFlagged,
            lock_timeout=f"{lock_timeout_seconds}s",
            refresh=None if refresh else False,
            var_file=[str(path) for path in var_files],
            out=str(out),
        )

    def show(self, plan: Path) -> list[str]:
        """`terraform show -json` of a plan file."""
        return self._build("show", str(plan), no_color=IsFlagged, json=IsFlagged)

    def apply(self, plan: Path, *, lock_timeout_seconds: int) -> list[str]:
        """`terraform apply` of a plan file, which needs no approval of Terraform's own."""
        return self._build(
            "apply",
            str(plan),
            input=False,
            no_color=IsFlagged,
            json=IsFlagged,
            lock_timeout=f"{lock_timeout_seconds}s",
        )

    def output(self) -> list[str]:
        """`terraform output -json`."""
        return self._build("output", no_color=IsFlagged, json=IsFlagged)
