"""`python -m demo`: what `make demo` runs."""

from __future__ import annotations

import argparse
import fcntl
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from demo.baseline import measure_baseline
from demo.errors import DemoError
from demo.memory import PeakMemory
from demo.operator import Followed, follow
from demo.prefect_api import RunState
from demo.processes import Processes
from demo.screen import say, show_markdown
from demo.settings import ROOT, DemoSettings, read_settings
from demo.stage import Stage


def main() -> int:
    """Run the demo; the exit code is 0 when the platform stands, 1 with one sentence when it does not."""
    parser = argparse.ArgumentParser(
        prog="python -m demo",
        description="Run the whole platform against a local Azure: servers, deployments, plan, approval, "
        "apply, GPU verification, tenants, quota.",
        epilog="Environment: APPROVE=auto needs nobody; KEEP=1 leaves the servers up; PORT=N is the Prefect"
        " server's port (default 4200, or a free one); SANDBOX_DIR=DIR is the local Azure's folder.",
    )
    parser.add_argument("--stop", action="store_true", help="stop what an earlier demo left running, and end")
    arguments = parser.parse_args()
    # Ctrl-C and TERM alike, also where the shell has set them to be ignored (a job in the background).
    signal.signal(signal.SIGINT, _as_interrupt)
    signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        settings = read_settings()
        settings.directory.mkdir(mode=0o700, exist_ok=True)
        with only_one(settings):
            if arguments.stop:
                stopped = Processes(settings.directory).stop_leftovers()
                say(f"stopped {', '.join(stopped)}" if stopped else "nothing was running")
                return 0
            return run(settings)
    except DemoError as error:
        say(f"\nThe demo did not finish: {error}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. What Azure has is kept; `make demo` goes on from there.")
        return 130


def _as_interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


@contextmanager
def only_one(settings: DemoSettings) -> Iterator[None]:
    """Hold the demo's lock: two demos in one checkout would share servers and state.

    Raises:
        DemoError: another demo holds it.
    """
    with (settings.directory / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoError("another demo runs in this checkout; stop it first (Ctrl-C there)") from None
        yield


def run(settings: DemoSettings) -> int:
    """One demo from the first server to the last."""
    began = time.monotonic()
    set_up = time.time() - float(os.environ.get("DEMO_STARTED") or time.time())
    stage = Stage(settings, say)
    run_id: str | None = None
    ended = False
    try:
        with PeakMemory() as memory:
            stage.up()
            servers = timedelta(seconds=time.monotonic() - began)
            say("starting the platform flow for " + settings.environment)
            parameters = {"environment": settings.environment, "requester": settings.requester}
            run_id = stage.api.create_run("platform/platform", parameters)
            say(f"  {stage.api.base}/runs/flow-run/{run_id}")
            followed = follow(
                stage.api,
                run_id,
                settings,
                say=say,
                show_plan=lambda: _show(stage, settings, "plan"),
                check_servers=stage.check,
            )
            ended = followed.state.final
            bare = measure_baseline(settings, stage.environment, say) if _completed(followed) else None
        if not _completed(followed):
            raise DemoError(_why(followed.state))
        say("")
        _show(stage, settings, "platform")
        _figures(set_up, servers, followed, bare, memory.peak)
        if settings.keep:
            say(f"\nThe servers stay up (KEEP=1): {stage.api.base}")
            say(f"Stop them with: {_python()} -m demo --stop")
            stage.processes.forget()
        return 0
    finally:
        _finish_undisturbed()
        if run_id is not None and not ended:
            _cancel(stage, run_id)
        if stage.processes.pids():
            say("stopping the servers")
            stage.down()


def _finish_undisturbed() -> None:
    """From here on every wait has a deadline, and half a stop would leave servers and locks behind."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: say("already stopping, a moment"))


def _python() -> str:
    """Our Python as a person calls it from the checkout."""
    ours = Path(sys.executable)
    return str(ours.relative_to(ROOT)) if ours.is_relative_to(ROOT) else str(ours)


def _why(state: RunState) -> str:
    """What a person reads of a run that did not complete."""
    if "never resumed" in state.message:
        # Prefect's own words for a form that nobody answered in time.
        return "nobody decided before the deadline, so the plan has expired; a new run plans again"
    return state.message or f"the run is {state.name}"


def _completed(followed: Followed) -> bool:
    return followed.state.type == "COMPLETED"


def _cancel(stage: Stage, run_id: str) -> None:
    """A run that nobody follows any more must neither wait for a day nor start with the next demo."""
    try:
        stage.api.cancel(run_id)
    except DemoError as error:
        say(f"the run could not be cancelled: {error}")


def _show(stage: Stage, settings: DemoSettings, artifact: str) -> None:
    text = stage.api.artifact(f"{artifact}-{settings.environment}")
    if text:
        show_markdown(text)


def _figures(
    set_up: float, servers: timedelta, followed: Followed, bare: timedelta | None, peak: int
) -> None:
    """Times and memory. Only the ratio says something: the machine's speed cancels out in it."""
    say("")
    say(f"set-up (dependencies)      {max(set_up, 0.0):7.1f} s")
    say(f"servers and deployments    {servers.total_seconds():7.1f} s")
    say(f"the chain                  {followed.worked.total_seconds():7.1f} s")
    say(f"the operator's pause       {followed.waited.total_seconds():7.1f} s")
    if bare is not None:
        ratio = followed.worked / bare
        say(f"bare terraform             {bare.total_seconds():7.1f} s   init + plan + apply from nothing")
        say(f"chain : bare terraform     {ratio:7.2f}")
    say(f"peak memory                {peak / 2**20:7.0f} MiB  resident, all processes")


if __name__ == "__main__":
    sys.exit(main())
