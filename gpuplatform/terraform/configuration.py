"""The Terraform configuration of an environment: its files, their digest, its variables file."""

from __future__ import annotations

import hashlib
import re
import shutil
from functools import lru_cache
from pathlib import Path

import gpuplatform
from gpuplatform.errors import InvalidInput

__all__ = ["Configuration", "code_version"]

_LEFT_OUT = frozenset({".terraform", "tests", "environments", "__pycache__"})
"""Folders that are no part of what one environment's run needs."""

_ENVIRONMENT = re.compile(r'^\s*environment\s*=\s*"([^"]*)"', re.MULTILINE)


class Configuration:
    """`terraform/` and one environment's variables.

    Raises:
        InvalidInput: there is no configuration, or none of its variables files is this environment's.
    """

    def __init__(self, home: Path, environment: str) -> None:
        self.directory = home / "terraform"
        self.var_file = self.directory / "environments" / f"{environment}.tfvars"
        if not any(self.directory.glob("*.tf")):
            raise InvalidInput(f"there is no Terraform configuration in {self.directory}")
        if not self.var_file.is_file():
            known = ", ".join(sorted(path.stem for path in self.var_file.parent.glob("*.tfvars"))) or "none"
            raise InvalidInput(
                f"there are no Terraform variables for {environment!r}:"
                f" {self.var_file.parent} has those of {known}"
            )

        claimed = _ENVIRONMENT.search(self.var_file.read_text("utf-8", "replace"))
        if claimed and claimed.group(1) != environment:
            raise InvalidInput(
                f'{self.var_file.name} says environment = "{claimed.group(1)}":'
                f" what it describes would replace {environment}"
            )

    def files(self) -> list[Path]:
        """The files a run needs, relative to the configuration, sorted."""
        found = [
            path.relative_to(self.directory)
            for path in self.directory.rglob("*")
            if path.is_file() and not _LEFT_OUT.intersection(path.relative_to(self.directory).parts)
        ]
        kept = [path for path in found if ".tfstate" not in path.name and path.suffix != ".md"]
        return sorted([*kept, self.var_file.relative_to(self.directory)])

    def digest(self) -> str:
        """SHA-256 over the names and contents of the files."""
        total = hashlib.sha256()
        for path in self.files():
            content = (self.directory / path).read_bytes()
            total.update(f"{path.as_posix()}\0{len(content)}\0".encode())
            total.update(content)
        return total.hexdigest()

    def copy_to(self, target: Path) -> Path:
        """A fresh copy of the files below `target`; the path of the variables file in it."""
        for path in self.files():
            place = target / path
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.directory / path, place)
        return target / self.var_file.relative_to(self.directory)


@lru_cache(maxsize=1)
def code_version() -> str:
    """The version of this library, as 12 hex digits of the SHA-256 over its modules.

    A resumed run executes the code that is deployed then, which may not be the code that planned.
    """
    root = Path(gpuplatform.__file__).resolve().parent
    total = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:12]
