"""Bootstrap against Azure's APIs: made once, repaired when it drifted, refused when the name is taken."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import Environment
from gpuplatform.errors import DeadlineExceeded, InvalidInput, NotFound, Refused
from gpuplatform.statebackend.bootstrap import bootstrap_state_backend
from gpuplatform.statebackend.client import StateBackendClient
from gpuplatform.statebackend.report import StepStatus
from gpuplatform.statebackend.rules import AccountSettings, RecoverySettings


def test_created_then_found_then_repaired(clients: AzureClients, environment: Environment) -> None:
    said: list[str] = []
    first = bootstrap_state_backend(clients, environment, said.append)
    assert [step.what for step in first.steps] == [
        "resource group",
        "storage account",
        "versioning and soft delete",
        "container",
        "container",
        "role Storage Blob Data Contributor",
        "role Storage Blob Data Contributor",
        "lock CanNotDelete",
    ]
    assert {step.status for step in first.steps} == {StepStatus.CREATED}
    assert len(said) >= len(first.steps)

    client = StateBackendClient(clients, environment)
    assert client.get_account() == (AccountSettings(), "Standard_LRS")
    assert client.get_recovery() == RecoverySettings(True, 30, 30)
    assert client.has_lock()

    second = bootstrap_state_backend(clients, environment, said.append)
    assert not second.changed
    assert "as it should be" in second.message

    group, account = environment.state.resource_group, client.account
    loose: Any = {"properties": {"allowBlobPublicAccess": True, "minimumTlsVersion": "TLS1_0"}}
    clients.storage.storage_accounts.update(group, account, loose)
    longer: Any = {
        "properties": {
            "isVersioningEnabled": False,
            "deleteRetentionPolicy": {"enabled": True, "days": 90},
            "containerDeleteRetentionPolicy": {"enabled": False},
        }
    }
    clients.storage.blob_services.set_service_properties(group, account, longer)
    third = bootstrap_state_backend(clients, environment, said.append)
    repaired = {step.what: step.detail for step in third.steps if step.status is StepStatus.REPAIRED}
    assert repaired["storage account"] == "minimum tls TLS1_0 → TLS1_2; public blobs True → False"
    assert "versioning False → True" in repaired["versioning and soft delete"]
    # A longer retention than ours is somebody's decision and stays.
    assert client.get_recovery() == RecoverySettings(True, 90, 30)
    assert client.get_account() == (AccountSettings(), "Standard_LRS")


def test_an_account_key_is_of_no_use(clients: AzureClients, environment: Environment) -> None:
    from azure.core.exceptions import HttpResponseError  # noqa: PLC0415 - only this test needs it
    from azure.storage.blob import BlobServiceClient  # noqa: PLC0415 - only this test needs it

    bootstrap_state_backend(clients, environment, lambda _: None)
    account = StateBackendClient(clients, environment).account
    keys = clients.storage.storage_accounts.list_keys(environment.state.resource_group, account).keys_property
    assert keys
    with (
        BlobServiceClient(
            f"https://{account}.blob.core.windows.net", credential=keys[0].value, retry_total=0
        ) as blobs,
        pytest.raises(HttpResponseError, match="KeyBasedAuthenticationNotPermitted"),
    ):
        blobs.get_container_client("tfstate").get_container_properties()


def test_name_in_another_resource_group(clients: AzureClients, environment: Environment) -> None:
    StateBackendClient(clients, environment).create_group()
    StateBackendClient(clients, environment).create_account()
    elsewhere = environment.model_copy(
        update={
            "state": environment.state.model_copy(
                update={"resource_group": f"{environment.state.resource_group}-2"}
            )
        }
    )
    with pytest.raises(InvalidInput) as caught:
        bootstrap_state_backend(clients, elsewhere, lambda _: None)
    message = str(caught.value)
    assert f"the storage account name '{environment.state.account}' is taken" in message
    assert "set state.account of dev in policy/environments.yaml" in message
    with pytest.raises(NotFound):
        StateBackendClient(clients, elsewhere).get_recovery()


class NeverReady(StateBackendClient):
    """A data plane on which our role does not work."""

    def touch_container(self, container: str) -> None:
        raise Refused(f"reading the container {container}: AuthorizationPermissionMismatch")


def test_the_wait_for_the_data_plane_has_a_deadline(
    clients: AzureClients, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpuplatform.statebackend.bootstrap.StateBackendClient", NeverReady)
    changed = clients.settings.model_copy(update={"data_plane_timeout_seconds": 1.5})
    monkeypatch.setattr(clients, "settings", changed)
    with pytest.raises(DeadlineExceeded, match=r"tfstate did not answer us within 1\.5 s: .*Mismatch"):
        bootstrap_state_backend(clients, environment, lambda _: None)
    # A half-made account must stay deletable: the lock comes last.
    assert not StateBackendClient(clients, environment).has_lock()
