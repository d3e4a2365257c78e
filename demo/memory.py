"""Peak memory of the demo and everything it started."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Self

import psutil

__all__ = ["PeakMemory"]


class PeakMemory:
    """Samples the resident memory of a process tree in a thread of its own.

    The figure is the highest sum seen, in bytes. Pages shared between processes count once for each,
    so it is an upper bound.
    """

    def __init__(self, interval: float = 1.0) -> None:
        self.peak = 0
        self._interval = interval
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        me = psutil.Process()
        while not self._stop.wait(self._interval):
            total = 0
            for process in [me, *me.children(recursive=True)]:
                with suppress(psutil.Error):
                    total += process.memory_info().rss
            self.peak = max(self.peak, total)
