"""Terraform commands run in a workspace."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from gpuplatform.errors import InvalidInput, PlatformError
from gpuplatform.settings import Settings
from gpuplatform.terraform.arguments import Arguments
from gpuplatform.terraform.diagnostics import as_error
from gpuplatform.terraform.environment import terraform_environment
from gpuplatform.terraform.events import Stream
from gpuplatform.terraform.outputs import visible_outputs
from gpuplatform.terraform.plan import Plan, parse_plan
from gpuplatform.terraform.plugin_cache import plugin_cache_lock
from gpuplatform.terraform.process import Finished, run_process
from gpuplatform.terraform.workspace import Workspace

__all__ = ["Report", "Terraform"]

Report = Callable[[str], None]


class Terraform:
    """Runs Terraform in one workspace, for one environment.

    Each method raises `DeadlineExceeded` when its time is over, `InvalidInput` for what the configuration
    or its variables say wrong, `Conflict` when the state is locked, and other `PlatformError`s.

    Args:
        name: the environment's name, for messages.
        report: takes sentences about the progress.
    """

    def __init__(
        self, workspace: Workspace, settings: Settings, *, name: str, subscription_id: str, report: Report
    ) -> None:
        self._workspace = workspace
        self._settings = settings
        self._name = name
        self._report = report
        self._arguments = Arguments(workspace.program, workspace.directory)
        self._environment = terraform_environment(
            os.environ, data_directory=workspace.data_directory, subscription_id=subscription_id
        )

    def init(self, backend_config: Mapping[str, str]) -> None:
        """`terraform init`; raises `Retryable` for a passing fault."""
        argv = self._arguments.init(backend_config=backend_config)
        with plugin_cache_lock(self._environment, self._plan_timeout):
            stream, done = self._run(argv, f"initializing {self._name}", self._plan_timeout)
        if done.exit_code != 0:
            raise as_error(f"initializing {self._name}", stream, done.stderr, retryable=True)

    def plan(self) -> bool:
        """`terraform plan` into the plan file; whether there are changes. Raises `Retryable` like `init`."""
        argv = self._arguments.plan(
            out=self._workspace.plan_file,
            lock_timeout_seconds=self._settings.terraform_lock_timeout_seconds,
            var_files=[self._workspace.var_file],
        )
        stream, done = self._run(argv, f"planning {self._name}", self._plan_timeout)
        if done.exit_code not in (0, 2):
            raise as_error(f"planning {self._name}", stream, done.stderr, retryable=True)
        if unknown := stream.undeclared:
            # Terraform only warns: a misspelt `gpu_max_node` would go unnoticed until somebody needs it.
            raise InvalidInput(
                f"{self._workspace.var_file.name} sets {', '.join(unknown)},"
                " which terraform/variables.tf does not declare"
            )
        return done.exit_code == 2

    def show(self) -> Plan:
        """The workspace's plan file as data."""
        activity = f"reading the plan of {self._name}"
        return parse_plan(self._document(self._arguments.show(self._workspace.plan_file), activity))

    def apply(self) -> dict[str, Any]:
        """`terraform apply` of the workspace's plan file; the outputs that are not sensitive.

        No error of an apply is retryable: the plan was consumed.
        """
        activity = f"applying the plan of {self._name}"
        argv = self._arguments.apply(
            self._workspace.plan_file, lock_timeout_seconds=self._settings.terraform_lock_timeout_seconds
        )
        stream, done = self._run(argv, activity, self._settings.terraform_apply_timeout_seconds)
        if done.exit_code != 0:
            raise as_error(activity, stream, done.stderr, retryable=False)
        return visible_outputs(stream.outputs)

    def output(self) -> dict[str, Any]:
        """The outputs of the stored state that are not sensitive."""
        text = self._document(self._arguments.output(), f"reading the outputs of {self._name}")
        try:
            return visible_outputs(json.loads(text))
        except ValueError:
            raise PlatformError(f"reading the outputs of {self._name}: not JSON") from None

    @property
    def _plan_timeout(self) -> float:
        return self._settings.terraform_plan_timeout_seconds

    def _run(self, argv: list[str], activity: str, timeout: float) -> tuple[Stream, Finished]:
        stream = Stream()

        def take(line: str) -> None:
            if progress := stream.take(line):
                self._report(progress)

        return stream, self._start(argv, activity, timeout, take)

    def _document(self, argv: list[str], activity: str) -> str:
        """Standard output as one text: it may hold secrets and goes to a parser that hides them."""
        lines: list[str] = []
        done = self._start(argv, activity, self._plan_timeout, lines.append)
        if done.exit_code != 0:
            raise as_error(activity, Stream(), done.stderr, retryable=False)
        return "\n".join(lines)

    def _start(
        self, argv: list[str], activity: str, timeout: float, on_line: Callable[[str], None]
    ) -> Finished:
        return run_process(
            argv,
            directory=self._workspace.directory,
            environment=self._environment,
            timeout=timeout,
            grace=self._settings.terraform_kill_grace_seconds,
            activity=activity,
            on_line=on_line,
        )
