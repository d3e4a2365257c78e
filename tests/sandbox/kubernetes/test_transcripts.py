"""The emulator answers as the recorded API server did."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.sandbox.kubernetes.replay import Mismatch, Replay

_REPOSITORY = Path(__file__).resolve().parents[3]
_FOLDER = Path(
    os.environ.get("KUBERNETES_TRANSCRIPTS", _REPOSITORY.parent / "shared/data/kubernetes-transcripts")
)
_PASSING = (Path(__file__).parent / "transcripts_passing.txt").read_text(encoding="utf-8").split()
_SCENARIOS = sorted(path.stem for path in _FOLDER.glob("*.json"))

pytestmark = pytest.mark.skipif(not _SCENARIOS, reason=f"no transcripts in {_FOLDER}")


def _replay(name: str) -> None:
    Replay(json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))).run()


@pytest.mark.parametrize("name", _PASSING)
def test_listed_scenario_passes(name: str) -> None:
    _replay(name)


def _passes(name: str) -> bool:
    try:
        _replay(name)
    except (Mismatch, LookupError, TypeError, AttributeError, ValueError):
        return False
    return True


def test_no_unlisted_scenario_passes() -> None:
    """A scenario that has come to pass belongs into the list, so that it keeps passing."""
    passing = [name for name in _SCENARIOS if name not in _PASSING and _passes(name)]
    assert passing == [], f"add to transcripts_passing.txt: {passing}"
