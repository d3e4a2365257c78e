"""A variables file that does not say what its author thinks is refused, not silently ignored."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gpuplatform.errors import InvalidInput
from gpuplatform.terraform.configuration import Configuration
from gpuplatform.terraform.events import Stream

HOME = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    shutil.copytree(HOME / "terraform", tmp_path / "terraform")
    return tmp_path


@pytest.mark.parametrize("environment", ["dev", "staging", "prod"])
def test_shipped_variables_are_those_of_their_file(home: Path, environment: str) -> None:
    Configuration(home, environment)


def test_variables_of_another_environment_are_refused(home: Path) -> None:
    file = home / "terraform" / "environments" / "dev.tfvars"
    file.write_text('environment = "prod"\n')
    with pytest.raises(InvalidInput, match=r'^dev\.tfvars says environment = "prod": '):
        Configuration(home, "dev")


def test_undeclared_variables_are_found_in_the_stream() -> None:
    stream = Stream()
    stream.take(
        '{"type":"diagnostic","diagnostic":{"severity":"warning","summary":"Value for undeclared variable",'
        '"detail":"The root module does not declare a variable named \\"gpu_max_node\\" but …"}}'
    )
    assert stream.undeclared == ["gpu_max_node"]
