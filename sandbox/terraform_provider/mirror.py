"""A filesystem mirror that holds the stand-in, and the CLI configuration that points Terraform to it."""

from __future__ import annotations

import platform
import shlex
from pathlib import Path

__all__ = ["VERSION", "lay_mirror", "platform_tag"]

VERSION = "5.2.0"
_SOURCE = "registry.terraform.io/hashicorp/azurerm"
_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
_REPOSITORY = Path(__file__).resolve().parents[2]


def platform_tag() -> str:
    """This machine's platform in Terraform's words, such as `linux_amd64`."""
    machine = platform.machine().lower()
    return f"{platform.system().lower()}_{_MACHINES.get(machine, machine)}"


def lay_mirror(directory: Path, python: Path) -> Path:
    """Write the mirror and the CLI configuration below `directory`; the configuration's path.

    `python` runs the plugin and must have the project's dependencies. The content depends on the two
    paths alone, so the hashes in a lock file stay valid. Files that are right already are not touched.
    """
    directory = directory.resolve()
    mirror = directory / "mirror"
    package = mirror / _SOURCE / VERSION / platform_tag()
    package.mkdir(parents=True, exist_ok=True)
    # -P keeps Terraform's working directory, which may hold anything, off Python's path.
    _write(
        package / f"terraform-provider-azurerm_v{VERSION}",
        "#!/bin/sh\n"
        f"PYTHONPATH={shlex.quote(str(_REPOSITORY))} "
        f'exec {shlex.quote(str(python))} -P -m sandbox.terraform_provider "$@"\n',
        mode=0o755,
    )
    config = directory / "terraform.rc"
    path = str(mirror).replace("\\", "\\\\").replace('"', '\\"')
    _write(
        config,
        "disable_checkpoint = true\n\n"
        "provider_installation {\n"
        "  filesystem_mirror {\n"
        f'    path = "{path}"\n'
        "  }\n"
        "}\n",
        mode=0o644,
    )
    return config


def _write(path: Path, content: str, *, mode: int) -> None:
    """Write `path` unless it holds `content` already, never leaving it half written."""
    if path.is_file() and path.read_text(encoding="utf-8") == content and path.stat().st_mode & 0o777 == mode:
        return
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(content, encoding="utf-8")
    fresh.chmod(mode)
    fresh.replace(path)
