"""Installs Azurite, at the versions and hashes of `package-lock.json`, into the virtual environment."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox.blob.node import node, node_environment, npm_cli
from sandbox.folder import SandboxError
from sandbox.program import program

__all__ = ["azurite_script", "install", "is_installed"]

SECONDS = 600
"""The deadline of the installation."""

_HERE = Path(__file__).parent
_FILES = ("package.json", "package-lock.json")
_MARK = ".installed"


def _home() -> Path:
    return Path(sys.prefix) / "azurite"


def _lock_hash() -> str:
    return hashlib.sha256(b"".join((_HERE / name).read_bytes() for name in _FILES)).hexdigest()


def is_installed() -> bool:
    mark = _home() / _MARK
    return mark.exists() and mark.read_text().strip() == _lock_hash()


def azurite_script() -> Path:
    """The script that Node.js runs as Azurite's blob service.

    Raises:
        SandboxError: Not installed, or installed from another lock file.
    """
    if not is_installed():
        raise SandboxError(f"Azurite is not installed; run once: {program()} install")
    return _home() / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"


def compile_cache() -> Path:
    """Where Node.js keeps compiled code: a fifth off each start."""
    return _home() / ".compile-cache"


def install() -> bool:
    """Bring the installation to the lock file's state; False when it was there already.

    Raises:
        SandboxError: npm failed or took too long.
    """
    home = _home()
    with (home.parent / ".azurite.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_installed():
            return False
        fresh = Path(tempfile.mkdtemp(prefix=".azurite-", dir=home.parent))
        try:
            _npm_ci(fresh)
            (fresh / _MARK).write_text(_lock_hash() + "\n")
            if home.exists():
                shutil.rmtree(home)
            fresh.rename(home)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return True


def _npm_ci(folder: Path) -> None:
    for name in _FILES:
        shutil.copyfile(_HERE / name, folder / name)
    command = [
        os.fspath(node()),
        os.fspath(npm_cli()),
        "ci",
        "--ignore-scripts",  # none of Azurite's packages needs one to run
        "--omit=dev",
        "--no-audit",
        "--no-fund",
        "--no-update-notifier",
        "--loglevel=error",
    ]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=node_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SandboxError(f"Installing Azurite took more than {SECONDS} seconds.") from error
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise SandboxError("Installing Azurite: npm ended with: " + " | ".join(lines[:4])[:500])
