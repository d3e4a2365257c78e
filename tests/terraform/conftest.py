"""A copy of the configuration, initialised with the provider's stand-in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sandbox.terraform_provider.mirror import lay_mirror
from tests.terraform.engine import copy_configuration, run


@pytest.fixture(scope="session")
def offline_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Enough for what needs no Azure: validate, fmt, test."""
    config = lay_mirror(tmp_path_factory.mktemp("mirror"), Path(sys.executable))
    return {"TF_CLI_CONFIG_FILE": str(config)}


@pytest.fixture(scope="session")
def configuration(tmp_path_factory: pytest.TempPathFactory, offline_environment: dict[str, str]) -> Path:
    """The initialised copy; tests do not change it."""
    directory = copy_configuration(tmp_path_factory.mktemp("configuration") / "terraform")
    run(directory, "init", "-input=false", "-no-color", environment=offline_environment)
    return directory
