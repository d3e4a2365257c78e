"""The platform's configuration by itself: format, validity, its own tests, its environments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.terraform.engine import CONFIGURATION, run

ENVIRONMENTS = ("dev", "prod", "staging")


def test_format(offline_environment: dict[str, str]) -> None:
    run(CONFIGURATION, "fmt", "-check", "-recursive", "-diff", environment=offline_environment)


def test_validate(configuration: Path, offline_environment: dict[str, str]) -> None:
    assert "Success!" in run(configuration, "validate", "-no-color", environment=offline_environment)


def test_its_own_tests(configuration: Path, offline_environment: dict[str, str]) -> None:
    out = run(configuration, "test", "-no-color", environment=offline_environment)
    assert re.search(r"Success! \d+ passed, 0 failed", out)


def test_an_attribute_that_the_stand_in_does_not_know_is_named(
    tmp_path: Path, offline_environment: dict[str, str]
) -> None:
    (tmp_path / "main.tf").write_text(
        'resource "azurerm_resource_group" "a" {\n  name = "a"\n  location = "eastus"\n}\n'
        'resource "azurerm_subnet" "a" {\n  name = "a"\n  resource_group_name = "a"\n'
        '  virtual_network_name = "a"\n  ip_address_pool {\n    id = "x"\n    number_of_ip_addresses = "1"\n'
        "  }\n}\n"
    )
    run(tmp_path, "init", "-input=false", "-no-color", environment=offline_environment)
    out = run(tmp_path, "validate", "-no-color", environment=offline_environment, expect=(1,))
    assert 'does not support "ip_address_pool" of azurerm_subnet' in " ".join(out.split())


def test_environments_are_complete() -> None:
    assert sorted(p.stem for p in (CONFIGURATION / "environments").iterdir()) == list(ENVIRONMENTS)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_no_environment_names_another(name: str) -> None:
    text = (CONFIGURATION / "environments" / f"{name}.tfvars").read_text()
    assert re.findall(r'^\s*"?environment"?\s*= "(\w+)"', text, re.MULTILINE) == [name, name]


def test_the_lock_file_and_state_are_not_kept() -> None:
    assert not (CONFIGURATION / ".terraform.lock.hcl").exists()
    assert not list(CONFIGURATION.rglob("*.tfstate*"))
