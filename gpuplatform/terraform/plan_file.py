"""The plan file: its digest, and the few things in it that are read without Terraform."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass

from gpuplatform.errors import PlatformError

__all__ = ["LOCK_FILE", "PlanFile", "digest", "read_plan_file"]

LOCK_FILE = ".terraform.lock.hcl"


@dataclass(frozen=True)
class PlanFile:
    """What a plan file says about itself."""

    sha256: str
    size: int
    lineage: str
    """The state's lineage; empty while there is no state yet."""
    serial: int
    provider_locks: bytes
    """The dependency lock file of the plan: the apply must use the same providers."""


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_plan_file(content: bytes) -> PlanFile:
    """Read a binary plan file (a zip archive).

    Raises:
        PlatformError: it is not a plan file.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            # `tfstate-prev`, the state before the refresh, names neither lineage nor serial.
            state = json.loads(archive.read("tfstate"))
            locks = archive.read(LOCK_FILE) if LOCK_FILE in names else b""
        return PlanFile(
            sha256=digest(content),
            size=len(content),
            lineage=str(state.get("lineage", "")),
            serial=int(state.get("serial", 0)),
            provider_locks=locks,
        )
    except (zipfile.BadZipFile, KeyError, ValueError, AttributeError):
        raise PlatformError("reading the plan file: it is not one of Terraform's") from None
