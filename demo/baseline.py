"""How long Terraform alone takes for the same configuration, in a local Azure of its own.

Run as a module it is the measurement itself: `python -m demo.baseline ENVIRONMENT DIRECTORY`, in the
environment of an Azure in which nothing exists yet. It prints the seconds.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from demo.errors import DemoError
from demo.settings import ROOT, DemoSettings

__all__ = ["measure_baseline"]

_DEADLINE_SECONDS = 300.0


def measure_baseline(
    settings: DemoSettings, environment: Mapping[str, str], say: Callable[[str], None]
) -> timedelta:
    """The time of bare `terraform init`, `plan` and `apply`; the state storage is there beforehand.

    Raises:
        DemoError: Terraform did not succeed; with what it said.
    """
    say("measuring bare terraform on the same configuration, in an Azure of its own")
    directory = settings.directory / "baseline"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    # Another local Azure must not be reached through this one.
    proxies = {"HTTPS_PROXY", "https_proxy", "SANDBOX_DIR"}
    outside = {name: value for name, value in environment.items() if name not in proxies}
    command = [sys.executable, "-m", "sandbox", "--dir", str(directory / "azure"), "run", "--"]
    arguments = [*command, sys.executable, "-m", "demo.baseline", settings.environment, str(directory)]
    with subprocess.Popen(
        arguments,
        cwd=ROOT,
        env=outside,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        try:
            figure, said = child.communicate(timeout=_DEADLINE_SECONDS)
        except BaseException as error:
            _end_session(child)
            if isinstance(error, subprocess.TimeoutExpired):
                raise DemoError(f"bare terraform did not finish in {_DEADLINE_SECONDS:.0f} s") from None
            raise
    if child.returncode != 0:
        lines = (figure + said).decode("utf-8", "replace").strip().splitlines()
        raise DemoError("bare terraform did not succeed:\n" + "\n".join(lines[-10:]))
    shutil.rmtree(directory, ignore_errors=True)
    return timedelta(seconds=float(figure.split()[-1]))


def _end_session(child: subprocess.Popen[bytes]) -> None:
    """TERM, then KILL, all of the measurement's session: its Azure is thrown away anyway."""
    for number, grace in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        with suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(grace)


def _main(name: str, directory: Path) -> float:
    # Imported here: the demo itself starts faster without the Azure SDKs.
    from gpuplatform.azure.clients import AzureClients  # noqa: PLC0415
    from gpuplatform.environments import load_environment  # noqa: PLC0415
    from gpuplatform.settings import settings  # noqa: PLC0415
    from gpuplatform.statebackend.bootstrap import bootstrap_state_backend  # noqa: PLC0415
    from gpuplatform.terraform.engine import find_engine  # noqa: PLC0415

    target = load_environment(name, settings().home)
    with AzureClients() as clients:
        bootstrap_state_backend(clients, target, lambda _text: None)
        account = target.state_account(clients.subscription_id)
    engine = find_engine(settings())
    work = directory / "terraform"
    shutil.copytree(
        settings().home / "terraform", work, ignore=shutil.ignore_patterns(".terraform*", "tests")
    )
    backend = {
        "resource_group_name": target.state.resource_group,
        "storage_account_name": account,
        "container_name": target.state.container,
        "key": target.state_key,
        "use_azuread_auth": "true",
    }
    began = time.monotonic()
    for arguments in (
        ["init", *[f"-backend-config={key}={value}" for key, value in backend.items()]],
        ["plan", f"-var-file=environments/{name}.tfvars", "-out=tfplan"],
        ["apply", "tfplan"],
    ):
        verb, *options = arguments
        # Its output goes to stderr: stdout is for the figure.
        subprocess.run(
            [*engine.command, verb, "-input=false", "-no-color", *options],
            cwd=work,
            stdout=sys.stderr,
            timeout=_DEADLINE_SECONDS,
            check=True,
        )
    return time.monotonic() - began


if __name__ == "__main__":
    print(_main(sys.argv[1], Path(sys.argv[2])))
