"""The configuration's whole life against the sandbox: apply, no changes, drift, replacement, destroy."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sandbox.terraform_provider.arm import Arm
from sandbox.terraform_provider.credentials import Credentials, Login
from sandbox.terraform_provider.transport import Transport
from tests.conftest import RunningSandbox
from tests.terraform.engine import command, copy_configuration, run, settings

DEV = "-var-file=environments/dev.tfvars"
QUIET = ("-input=false", "-no-color")


@dataclass(frozen=True)
class Workspace:
    """An initialised copy of the configuration and the environment that leads it to the sandbox."""

    directory: Path
    environment: dict[str, str]

    def run(self, *arguments: str, expect: tuple[int, ...] = (0,)) -> str:
        return run(self.directory, *arguments, environment=self.environment, expect=expect)

    def plan(self, *arguments: str) -> dict[str, list[str]]:
        """Address → actions of what would change."""
        self.run("plan", *QUIET, DEV, "-out=tfplan", *arguments)
        changes = self.show("tfplan")["resource_changes"]
        return {
            c["address"]: c["change"]["actions"]
            for c in changes
            if c["change"]["actions"] not in (["no-op"], ["read"])
        }

    def show(self, *arguments: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("show", "-json", *arguments))
        return found

    def interrupt_apply(self, at: str) -> int:
        """Start an apply, send Ctrl-C when a line with `at` appears; the exit code."""
        arguments = [*command(), "apply", *QUIET, DEV, "-auto-approve"]
        with subprocess.Popen(
            arguments,
            cwd=self.directory,
            env=settings(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process:
            late = threading.Timer(120, process.kill)
            late.start()
            try:
                assert process.stdout is not None
                for line in process.stdout:
                    if at in line:
                        os.killpg(process.pid, signal.SIGINT)
                return process.wait()
            finally:
                late.cancel()
                process.kill()


@pytest.fixture(scope="module")
def applied(sandbox: RunningSandbox, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Applied in two goes: the first is interrupted while the cluster is being created."""
    directory = copy_configuration(tmp_path_factory.mktemp("dev") / "terraform")
    workspace = Workspace(directory, sandbox.environment)
    workspace.run("init", *QUIET)
    assert workspace.interrupt_apply("azurerm_kubernetes_cluster.ai: Creating") == 1
    done = workspace.run("state", "list").split()
    assert "azurerm_subnet.aks" in done
    assert "azurerm_kubernetes_cluster_node_pool.gpu" not in done
    workspace.run("apply", *QUIET, DEV, "-auto-approve")
    return workspace


@pytest.mark.parametrize("name", ["staging", "prod"])
def test_the_other_environments_plan(sandbox: RunningSandbox, tmp_path: Path, name: str) -> None:
    workspace = Workspace(copy_configuration(tmp_path / "terraform"), sandbox.environment)
    workspace.run("init", *QUIET)
    out = workspace.run("plan", *QUIET, f"-var-file=environments/{name}.tfvars")
    assert "Plan: 10 to add, 0 to change, 0 to destroy." in out


def test_outputs(applied: Workspace) -> None:
    outputs = {k: v["value"] for k, v in json.loads(applied.run("output", "-json")).items()}
    assert outputs["cluster_name"] == "aks-ai-dev"
    assert outputs["resource_group_name"] == "rg-ai-dev"
    assert outputs["gpu_pools"] == {
        "gpu": {"max_nodes": 3, "min_nodes": 1, "vm_size": "Standard_NC4as_T4_v3"}
    }
    assert outputs["cluster_id"].endswith("/managedClusters/aks-ai-dev")
    assert [i.rpartition("/")[2] for i in outputs["workbench_vm_ids"]] == ["vm-gpu-workbench-dev"]


def test_a_second_plan_shows_no_changes(applied: Workspace) -> None:
    out = applied.run("plan", *QUIET, DEV, "-detailed-exitcode")
    assert "No changes." in out


def test_a_lower_maximum_is_an_update(applied: Workspace) -> None:
    assert applied.plan("-var=gpu_max_nodes=2") == {"azurerm_kubernetes_cluster_node_pool.gpu": ["update"]}


def test_another_size_is_an_update_in_the_plan(applied: Workspace) -> None:
    changes = applied.plan("-var=gpu_vm_size=Standard_NC8as_T4_v3")
    assert changes == {"azurerm_kubernetes_cluster_node_pool.gpu": ["update"]}


def test_no_workbench_deletes_its_three_resources(applied: Workspace) -> None:
    changes = applied.plan("-var=gpu_workbench=null")
    assert set(map(tuple, changes.values())) == {("delete",)}
    assert sorted(changes) == [
        "azurerm_linux_virtual_machine.workbench[0]",
        "azurerm_network_interface.workbench[0]",
        "azurerm_virtual_machine_extension.nvidia[0]",
    ]


def test_another_region_replaces(applied: Workspace) -> None:
    changes = applied.plan("-var=location=westus3")
    assert changes["azurerm_resource_group.ai"] == ["delete", "create"]
    assert changes["azurerm_kubernetes_cluster.ai"] == ["delete", "create"]


def test_a_cpu_size_is_refused_at_plan(applied: Workspace) -> None:
    out = applied.run("plan", *QUIET, DEV, "-var=gpu_vm_size=Standard_D16s_v5", expect=(1,))
    assert "GPU VM size must be an N-series SKU (e.g., Standard_NC6s_v3" in " ".join(out.split())


def test_a_change_made_elsewhere_shows(applied: Workspace, sandbox_env: RunningSandbox) -> None:
    transport = Transport()
    credentials = Credentials(Login.read({}), transport)
    arm = Arm(transport, credentials, threading.Event())
    group = f"/subscriptions/{sandbox_env.environment['ARM_SUBSCRIPTION_ID']}/resourceGroups/rg-ai-dev"
    with closing(transport):
        arm.patch(group, "2023-07-01", {"tags": {"cost-center": "somebody-else"}}, time.monotonic() + 30)
    assert applied.plan() == {"azurerm_resource_group.ai": ["update"]}


def test_the_state_shows_no_client_secret(applied: Workspace) -> None:
    secret = applied.environment["ARM_CLIENT_SECRET"]
    for file in applied.directory.rglob("*.tfstate*"):
        assert secret not in file.read_text(encoding="utf-8")


def test_destroy_leaves_nothing(applied: Workspace) -> None:
    """Last in this file: the others need what it destroys."""
    applied.run("destroy", *QUIET, DEV, "-auto-approve")
    assert applied.run("state", "list").strip() == ""
