"""An environment whose state account nobody else uses."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import ApprovalRules, Environment, EnvironmentName, StateSpec
from gpuplatform.settings import Settings
from tests.conftest import RunningSandbox


@pytest.fixture
def environment() -> Environment:
    unique = uuid.uuid4().hex[:10]
    return Environment(
        name=EnvironmentName.DEV,
        location="eastus2",
        state=StateSpec(resource_group=f"rg-state-{unique}", account=f"st{unique}", sku="Standard_LRS"),
        approval=ApprovalRules(approvers=("operator@example.com",)),
    )


@pytest.fixture
def clients(sandbox_env: RunningSandbox) -> Iterator[AzureClients]:
    assert sandbox_env.environment
    with AzureClients(settings=Settings(polling_interval_seconds=1, data_plane_timeout_seconds=20)) as opened:
        yield opened
