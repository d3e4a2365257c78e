"""A checkout whose configuration needs no provider, with a state backend of its own."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import Environment, load_environment
from gpuplatform.settings import Settings
from gpuplatform.statebackend.bootstrap import bootstrap_state_backend
from tests.conftest import RunningSandbox

CONFIGURATION = """
terraform {
  backend "azurerm" {}
}

variable "size" {
  type = string
  validation {
    condition     = can(regex("^Standard_N", var.size))
    error_message = "GPU VM size must be an N-series SKU (e.g., Standard_NC6s_v3)."
  }
}

variable "seconds" {
  type    = number
  default = 0
}

resource "terraform_data" "pool" {
  input = var.size

  provisioner "local-exec" {
    command = "echo ran >> RAN; sleep ${var.seconds}"
  }
}

output "resource_group_name" { value = "rg-ai-dev" }
output "location" { value = "eastus2" }
output "cluster_name" { value = "aks-ai-dev" }
output "cluster_id" { value = "/subscriptions/s/clusters/aks-ai-dev" }
output "gpu_pools" {
  value = { gpu = { vm_size = terraform_data.pool.output, min_nodes = 0, max_nodes = 2 } }
}
output "token" {
  value     = "very-secret-token-value"
  sensitive = true
}
"""


def write_variables(home: Path, size: str = "Standard_NC6", seconds: float = 0) -> None:
    file = home / "terraform" / "environments" / "dev.tfvars"
    file.write_text(f'size = "{size}"\nseconds = {seconds}\n')


@pytest.fixture(scope="session")
def state_account() -> str:
    return f"st{uuid.uuid4().hex[:10]}"


@pytest.fixture
def home(tmp_path: Path, state_account: str) -> Path:
    """One state account for all tests; a state and records of their own for each."""
    home = tmp_path / "home"
    (home / "terraform" / "environments").mkdir(parents=True)
    (home / "policy").mkdir()
    (home / "terraform" / "main.tf").write_text(CONFIGURATION.replace("RAN", str(home / "ran")))
    write_variables(home)
    unique = uuid.uuid4().hex[:8]
    (home / "policy" / "environments.yaml").write_text(
        f"""
dev:
  location: eastus2
  state:
    resource_group: rg-{state_account}
    account: {state_account}
    sku: Standard_LRS
    container: tfstate-{unique}
    records_container: records-{unique}
  approval:
    approvers: [operator@example.com, lead@example.com]
    timeout_hours: 1
"""
    )
    return home


@pytest.fixture
def environment(home: Path) -> Environment:
    return load_environment("dev", home)


@pytest.fixture
def clients(sandbox_env: RunningSandbox, home: Path) -> Iterator[AzureClients]:
    assert sandbox_env.environment
    with AzureClients(settings=Settings(home=home, polling_interval_seconds=1)) as opened:
        yield opened


@pytest.fixture
def backend(clients: AzureClients, environment: Environment) -> AzureClients:
    """The clients, after the bootstrap of the environment's state backend."""
    bootstrap_state_backend(clients, environment, lambda _: None)
    return clients
