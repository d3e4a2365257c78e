"""What holds for the whole repository, whoever changes it."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prefect import Flow

ROOT = Path(__file__).parents[2]
DEPLOYMENTS = yaml.safe_load((ROOT / "prefect.yaml").read_text("utf-8"))["deployments"]


def test_production_code_does_not_know_the_sandbox() -> None:
    knowing = [
        path.relative_to(ROOT).as_posix()
        for package in ("flows", "tasks", "gpuplatform")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".pyc" and "sandbox" in path.read_text("utf-8").lower()
    ]
    assert knowing == []


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda deployment: deployment["name"])
def test_every_deployment_is_a_flow_whose_parameters_it_may_set(deployment: dict[str, Any]) -> None:
    path, name = deployment["entrypoint"].split(":")
    flow = getattr(importlib.import_module(path.removesuffix(".py").replace("/", ".")), name)
    assert isinstance(flow, Flow)
    assert flow.name == deployment["name"]
    assert deployment["description"]
    properties = flow.parameters.properties
    assert set(deployment.get("parameters", {})) <= set(properties)
    assert all(schema.get("description") for schema in properties.values()), "every parameter is described"


@pytest.mark.parametrize(
    "deployment", [item for item in DEPLOYMENTS if "gated" in item["tags"]], ids=lambda item: item["name"]
)
def test_gated_flows_wait_for_their_turn_and_are_never_retried(deployment: dict[str, Any]) -> None:
    # CANCEL_NEW would cancel a resumed run and lose its approval; a retry would ask for it again.
    assert deployment["concurrency_limit"]["collision_strategy"] == "ENQUEUE"
    path, name = deployment["entrypoint"].split(":")
    flow = getattr(importlib.import_module(path.removesuffix(".py").replace("/", ".")), name)
    assert not flow.retries


def test_the_lock_names_no_index_and_hashes_everything() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert "://" not in lock
    entries = re.split(r"\n(?=[a-z])", lock.strip())
    assert len(entries) > 100
    assert [entry.split("==")[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_npm_lock_names_no_registry() -> None:
    lock = (ROOT / "sandbox" / "blob" / "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in lock


def test_only_clients_import_a_cloud_sdk() -> None:
    # Rules stay pure: what talks to Azure or Kubernetes is in modules named for it.
    importing = re.compile(r"^\s*(?:from|import) (?:azure|kubernetes)\b", re.MULTILINE)
    library = ROOT / "gpuplatform"
    elsewhere = [
        path.relative_to(ROOT).as_posix()
        for path in library.rglob("*.py")
        if importing.search(path.read_text("utf-8"))
        and not path.stem.startswith("client")
        and path.parent.name not in {"azure", "kubernetes"}
    ]
    assert elsewhere == []
