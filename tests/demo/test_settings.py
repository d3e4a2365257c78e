"""What the demo is asked for: understood, or refused in one sentence."""

import socket
from pathlib import Path

import pytest

from demo.errors import DemoError
from demo.settings import choose_port, prefect_environment, read_settings


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("APPROVE", "KEEP", "PORT", "SANDBOX_DIR"):
        monkeypatch.delenv(name, raising=False)


def test_defaults_ask_a_person() -> None:
    settings = read_settings()
    assert not settings.auto_approve
    assert not settings.keep


@pytest.mark.parametrize(
    ("name", "value"), [("APPROVE", "yes"), ("KEEP", "maybe"), ("PORT", "http"), ("PORT", "80")]
)
def test_bad_values_are_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(DemoError, match=f"^{name}={value}: give "):
        read_settings()


def test_a_port_in_use_is_refused_when_asked_for() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(DemoError, match=f"port {port} is in use"):
            choose_port(port)


@pytest.mark.parametrize(
    "name",
    [
        "PREFECT_API_KEY",
        "AZURE_TOKEN_CREDENTIALS",
        "ARM_ACCESS_KEY",
        "TF_CLI_ARGS_plan",
        "TF_VAR_gpu_vm_size",
        "https_proxy",
        "GPUPLATFORM_SUBSCRIPTION_ID",
    ],
)
def test_nobodys_real_cloud_is_reached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    monkeypatch.setenv(name, "of a real one")
    environment = prefect_environment(tmp_path, 4242)
    assert "of a real one" not in environment.values()
    assert environment["PREFECT_API_URL"] == "http://127.0.0.1:4242/api"
