"""How a person calls this program from where they are."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

__all__ = ["program"]


def program() -> str:
    """`python -m sandbox`, with the path of our own Python where `python` is another one or none."""
    ours = Path(sys.executable)
    found = shutil.which("python")
    if found and Path(found).absolute() == ours.absolute():
        return "python -m sandbox"
    here = Path.cwd()
    shown = ours.relative_to(here) if ours.is_relative_to(here) else ours
    return f"{shown} -m sandbox"
