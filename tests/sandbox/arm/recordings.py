"""Recordings of real clients; they lie beside the project and are not part of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, cast

from tests.sandbox.arm.doubles import IDENTITY

_DATA = Path(os.environ.get("SHARED_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
RECORDINGS = _DATA / "client-requests"
_SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"


def load(path: Path) -> dict[str, Any]:
    """A recording with our subscription in it and its references to long bodies resolved."""
    recorded = json.loads(path.read_text(encoding="utf-8").replace(_SUBSCRIPTION, IDENTITY.subscription_id))
    bodies = recorded["bodies"]

    def resolved(value: Any) -> Any:
        if isinstance(value, dict):
            if "$ref" in value:
                return resolved(bodies[value["$ref"]])
            return {key: resolved(member) for key, member in value.items()}
        return [resolved(member) for member in value] if isinstance(value, list) else value

    return cast("dict[str, Any]", resolved(recorded))
