"""The one error of the demo: a sentence for the person at the terminal."""

from __future__ import annotations

__all__ = ["DemoError"]


class DemoError(Exception):
    """The demo cannot go on; the text says why and what to do."""
