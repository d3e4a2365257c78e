"""Following one run, and being its operator when it waits for a decision."""

from __future__ import annotations

import select
import sys
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from demo.errors import DemoError
from demo.prefect_api import PrefectApi, RunState
from demo.settings import DemoSettings

__all__ = ["Followed", "follow"]

_POLL_SECONDS = 0.5
_CHAIN_DEADLINE = timedelta(minutes=30)
"""How long the run may work, the operator's time not counted."""


@dataclass(frozen=True)
class Followed:
    """How a run ended, and how long it worked and waited."""

    state: RunState
    worked: timedelta
    waited: timedelta


def follow(
    api: PrefectApi,
    run_id: str,
    settings: DemoSettings,
    *,
    say: Callable[[str], None],
    show_plan: Callable[[], None],
    check_servers: Callable[[], None],
) -> Followed:
    """Print a run's log as it grows until it ends; answer its form, or wait for someone who does.

    Raises:
        DemoError: the run went on for longer than its deadline, a server ended, or the answer was refused.
    """
    worked = waited = timedelta()
    mark = time.monotonic()
    seen: set[str] = set()
    asked: str | None = None
    waiting = queued = False
    while True:
        check_servers()
        state = api.state(run_id)
        if state.name == "AwaitingConcurrencySlot" and not queued:
            queued = True
            say("another run of this deployment is going on; this one waits for its turn")
        _print_new_lines(api, run_id, seen, say)
        elapsed = timedelta(seconds=time.monotonic() - mark)
        mark = time.monotonic()
        if waiting:
            waited += elapsed
        else:
            worked += elapsed
        waiting = state.suspended
        if state.final:
            # The last lines are sent by the run's process when it ends, a moment after its state.
            for _ in range(3):
                time.sleep(_POLL_SECONDS)
                _print_new_lines(api, run_id, seen, say)
            return Followed(state, worked, waited)
        if worked > _CHAIN_DEADLINE:
            raise DemoError(f"the run has worked for {_CHAIN_DEADLINE} and is still {state.name}")
        if state.suspended and state.at != asked:
            asked = state.at
            show_plan()
            _invite(api, run_id, settings, say)
            if settings.auto_approve:
                _answer(api, run_id, settings, "approve", "make demo APPROVE=auto")
        elif state.suspended and not settings.auto_approve:
            typed = _typed(_POLL_SECONDS)
            if typed is not None:
                _decide(api, run_id, settings, typed, say)
            continue
        time.sleep(_POLL_SECONDS)


_PREFECTS_OWN = (
    "Running 1 deployment pull step",
    "Executing deployment step",
    "Deployment step ",
    "All deployment steps",
    "Worker ",
    "Flow run ",
    "Beginning flow run",
    "Suspending flow run",
    "Finished in state",
    "Aborted submission",
)
"""How the lines begin that Prefect logs about itself; the run's page has them."""


def _print_new_lines(api: PrefectApi, run_id: str, seen: set[str], say: Callable[[str], None]) -> None:
    # The log is sent in batches that may arrive out of order: ask from a little before what was seen.
    for line in api.logs(run_id, max(0, len(seen) - 20)):
        if line.id not in seen:
            seen.add(line.id)
            if not line.text.startswith(_PREFECTS_OWN):
                say(f"  {line.text}")


def _invite(api: PrefectApi, run_id: str, settings: DemoSettings, say: Callable[[str], None]) -> None:
    say("")
    say("The run waits for its operator. In the Prefect UI, press Resume:")
    say(f"  {api.base}/runs/flow-run/{run_id}")
    if not settings.auto_approve:
        say(f"or here: Enter approves as {settings.approver}, `reject REASON` rejects.")
        if sys.stdin.isatty():
            # What was typed before the plan could be read is nobody's decision on it.
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
        else:
            say("(no terminal: waiting for the UI; `make demo APPROVE=auto` needs nobody)")


def _typed(seconds: float) -> str | None:
    """A line from the terminal within so many seconds; None without one or without a terminal."""
    if not sys.stdin.isatty():
        time.sleep(seconds)
        return None
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    if not ready:
        return None
    line = sys.stdin.readline()
    # End of file is nobody's approval.
    return line.strip() if line else None


def _decide(
    api: PrefectApi, run_id: str, settings: DemoSettings, typed: str, say: Callable[[str], None]
) -> None:
    word, _, rest = typed.partition(" ")
    if typed == "" or word == "approve":
        _answer(api, run_id, settings, "approve", rest)
    elif word == "reject" and rest.strip():
        _answer(api, run_id, settings, "reject", rest.strip())
    else:
        say("Enter approves; `reject REASON` rejects (the reason goes into the record).")


def _answer(api: PrefectApi, run_id: str, settings: DemoSettings, decision: str, comment: str) -> None:
    api.resume(
        run_id,
        {"decision": decision, "approver": settings.approver, "comment": comment},
        timedelta(seconds=30),
    )
