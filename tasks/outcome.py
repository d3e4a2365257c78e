"""How a failed task is logged: an error of ours as its one sentence, anything else with its traceback."""

from __future__ import annotations

import logging

from gpuplatform.errors import PlatformError

__all__ = ["OneSentence", "log_plainly"]


class OneSentence(logging.Filter):
    """Takes the traceback off a record that logs an error of ours: its text says all a person needs."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], PlatformError):
            record.exc_info = None
        return True


def log_plainly() -> None:
    """Make Prefect's task engine log errors of ours without their traceback; once is enough."""
    logger = logging.getLogger("prefect.task_runs")
    if not any(isinstance(item, OneSentence) for item in logger.filters):
        logger.addFilter(OneSentence())
