"""The temporary directory of one Terraform run."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gpuplatform.terraform.configuration import Configuration
from gpuplatform.terraform.engine import Engine

__all__ = ["Workspace", "open_workspace"]


@dataclass(frozen=True)
class Workspace:
    """Where a run's files are; nobody else may read them."""

    program: Path
    """What to start: one path, as python-terraform wants it."""
    directory: Path
    """The fresh copy of the configuration; Terraform's working directory."""
    data_directory: Path
    var_file: Path
    plan_file: Path
    errored_state: Path
    """Terraform leaves the state here when it could not be stored; it holds secrets."""


@contextmanager
def open_workspace(configuration: Configuration, engine: Engine) -> Iterator[Workspace]:
    """A private directory with a copy of the configuration, removed at the end whatever happens."""
    root = Path(tempfile.mkdtemp(prefix="gpuplatform-terraform-"))  # mode 0700
    try:
        directory = root / "configuration"
        directory.mkdir()
        yield Workspace(
            program=_program(root, engine),
            directory=directory,
            data_directory=root / "data",
            var_file=configuration.copy_to(directory),
            plan_file=root / "plan.tfplan",
            errored_state=directory / "errored.tfstate",
        )
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _program(root: Path, engine: Engine) -> Path:
    if len(engine.command) == 1:
        return Path(engine.command[0])
    launcher = root / "terraform"
    # exec: the signals sent to the launcher's process have to reach the engine.
    launcher.write_text(f'#!/bin/sh\nexec {shlex.join(engine.command)} "$@"\n', "utf-8")
    launcher.chmod(0o700)
    return launcher
