"""How failures are logged: an error of ours as its one sentence, anything else with its traceback."""

from __future__ import annotations

import logging

from prefect.exceptions import FailedRun

from gpuplatform.errors import PlatformError

__all__ = ["OneSentence", "log_plainly"]


class OneSentence(logging.Filter):
    """Takes the traceback off a record that logs an error of ours: its text says all a person needs.

    A flow that returns a Failed state makes Prefect's engine log a FailedRun as an unexpected exception.
    It is neither, and the flow has said why before: that record is dropped.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, FailedRun):
            return False
        if isinstance(error, PlatformError):
            record.exc_info = None
        return True


def log_plainly() -> None:
    """Make Prefect's engines log errors of ours without their traceback; once is enough."""
    for name in ("prefect.task_runs", "prefect.flow_runs"):
        logger = logging.getLogger(name)
        if not any(isinstance(item, OneSentence) for item in logger.filters):
            logger.addFilter(OneSentence())
