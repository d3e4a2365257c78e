"""How a flow ends: a state whose name and message say what happened, with no traceback for a person."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

from prefect import get_run_logger
from prefect.client.schemas.objects import State
from prefect.states import Failed

from gpuplatform.errors import PlatformError

__all__ = ["plainly"]

_P = ParamSpec("_P")


def plainly(body: Callable[_P, State[Any]]) -> Callable[_P, State[Any]]:
    """Wrap a flow's function so that an error of ours ends the run Failed with its one sentence.

    Any other exception is a defect of ours and keeps its traceback.
    """

    @wraps(body)
    def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> State[Any]:
        try:
            return body(*args, **kwargs)
        except PlatformError as error:
            get_run_logger().error("%s", error)
            return Failed(message=str(error))

    # Prefect reads the parameters from the wrapper, where names of the body's module mean nothing.
    wrapper.__signature__ = inspect.signature(body, eval_str=True)  # type: ignore[attr-defined]  # PEP 362
    return wrapper
