"""A person who did something wrong reads one sentence; a defect of ours keeps its traceback."""

from __future__ import annotations

import logging

import pytest
from prefect.exceptions import FailedRun

from gpuplatform.errors import InvalidInput
from tasks.outcome import OneSentence


def _record(error: Exception) -> logging.LogRecord:
    info = (type(error), error, None)
    return logging.LogRecord("prefect.flow_runs", logging.ERROR, __file__, 1, "text", (), info)


def test_an_error_of_ours_loses_its_traceback() -> None:
    record = _record(InvalidInput("give 2"))
    assert OneSentence().filter(record)
    assert record.exc_info is None


def test_a_failed_state_is_no_unexpected_exception() -> None:
    assert not OneSentence().filter(_record(FailedRun("Rejected by ana@example.com: not now")))


def test_a_defect_keeps_its_traceback() -> None:
    record = _record(KeyError("x"))
    assert OneSentence().filter(record)
    assert record.exc_info is not None


@pytest.mark.parametrize("name", ["prefect.task_runs", "prefect.flow_runs"])
def test_it_is_in_place_wherever_tasks_are_used(name: str) -> None:
    assert sum(isinstance(item, OneSentence) for item in logging.getLogger(name).filters) == 1
