"""Command lines, with defaults and with every option."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplatform.terraform.arguments import Arguments


@pytest.fixture
def arguments(tmp_path: Path) -> Arguments:
    return Arguments(Path("/opt/terraform"), tmp_path)


def test_init_defaults(arguments: Arguments) -> None:
    assert arguments.init() == ["/opt/terraform", "init", "-input=false", "-no-color", "-json"]


def test_init_all(arguments: Arguments) -> None:
    assert arguments.init(backend_config={"key": "a.tfstate", "use_azuread_auth": "true"}) == [
        "/opt/terraform",
        "init",
        "-input=false",
        "-no-color",
        "-json",
        "-backend-config=key=a.tfstate",
        "-backend-config=use_azuread_auth=true",
    ]


def test_plan_defaults(arguments: Arguments) -> None:
    assert arguments.plan(out=Path("/t/p"), lock_timeout_seconds=60) == [
        "/opt/terraform",
        "plan",
        "-input=false",
        "-no-color",
        "-json",
        "-detailed-exitcode",
        "-lock-timeout=60s",
        "-out=/t/p",
    ]


def test_plan_all(arguments: Arguments) -> None:
    argv = arguments.plan(
        out=Path("/t/p"), lock_timeout_seconds=0, var_files=[Path("/t/a"), Path("/t/b")], refresh=False
    )
    assert argv == [
        "/opt/terraform",
        "plan",
        "-input=false",
        "-no-color",
        "-json",
        "-detailed-exitcode",
        "-lock-timeout=0s",
        "-refresh=false",
        "-var-file=/t/a",
        "-var-file=/t/b",
        "-out=/t/p",
    ]


def test_show(arguments: Arguments) -> None:
    assert arguments.show(Path("/t/p")) == ["/opt/terraform", "show", "-no-color", "-json", "/t/p"]


def test_apply(arguments: Arguments) -> None:
    assert arguments.apply(Path("/t/p"), lock_timeout_seconds=5) == [
        "/opt/terraform",
        "apply",
        "-input=false",
        "-no-color",
        "-json",
        "-lock-timeout=5s",
        "/t/p",
    ]


def test_output(arguments: Arguments) -> None:
    assert arguments.output() == ["/opt/terraform", "output", "-no-color", "-json"]
