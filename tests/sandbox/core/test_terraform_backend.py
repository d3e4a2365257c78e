"""The azurerm backend of an unmodified Terraform, with Entra ID authentication, against the whole sandbox."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.environment import apply
from tests.conftest import RunningSandbox

pytestmark = pytest.mark.skipif(shutil.which("terraform") is None, reason="no terraform on PATH")

CONFIGURATION = """
terraform {
  backend "azurerm" {
    storage_account_name = "stcoreblob01"
    container_name       = "state"
    key                  = "dev/platform.tfstate"
    use_azuread_auth     = true
  }
}

variable "value" {
  type = string
}

resource "terraform_data" "this" {
  input = var.value
}
"""


def test_init_apply_plan_and_a_held_lock(sandbox: RunningSandbox, tmp_path: Path) -> None:
    environment = apply(sandbox.environment)
    maker = [sys.executable, str(Path(__file__).parent / "make_account.py")]
    subprocess.run(maker, env=environment, check=True, timeout=60)
    (tmp_path / "main.tf").write_text(CONFIGURATION)

    def terraform(*arguments: str, value: str = "1") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["terraform", *arguments],
            cwd=tmp_path,
            env={**environment, "TF_VAR_value": value, "TF_IN_AUTOMATION": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    initialised = terraform("init", "-no-color", "-input=false")
    assert initialised.returncode == 0, initialised.stderr
    applied = terraform("apply", "-no-color", "-input=false", "-auto-approve")
    assert applied.returncode == 0, applied.stderr
    assert terraform("plan", "-no-color", "-input=false", "-detailed-exitcode").returncode == 0
    assert terraform("plan", "-no-color", "-input=false", "-detailed-exitcode", value="2").returncode == 2
    assert terraform("state", "list").stdout == "terraform_data.this\n"

    lease = [*maker, "lease", "dev/platform.tfstate"]
    subprocess.run(lease, env=environment, check=True, timeout=60)
    locked = terraform("plan", "-no-color", "-input=false")
    assert locked.returncode == 1
    assert "Error acquiring the state lock" in locked.stderr
