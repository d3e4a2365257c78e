"""Storage accounts, containers, and who may read blobs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.arm.conftest import GROUP, SUBSCRIPTION, Client
from tests.sandbox.arm.doubles import IDENTITY, OWNER, STRANGER

STORAGE = f"{GROUP}/providers/Microsoft.Storage/storageAccounts"
ACCOUNT = f"{STORAGE}/stdev01"
CONTAINER = f"{ACCOUNT}/blobServices/default/containers/tfstate"
CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
NAME = "8489d2d6-3588-4e9b-b898-4505375cb83a"


def account_body(**properties: Any) -> dict[str, Any]:
    return {
        "location": "eastus",
        "sku": {"name": "Standard_ZRS"},
        "kind": "StorageV2",
        "properties": properties,
    }


async def test_an_account_and_its_containers(client: Client) -> None:
    await client.group()
    made = await client.put(ACCOUNT, account_body(allowSharedKeyAccess=False, minimumTlsVersion="TLS1_2"))
    assert made.status == 202
    assert "asyncoperations" in made.headers["Location"]
    assert client.accounts.containers == {"stdev01": set()}
    shown = (await client.get(ACCOUNT)).body
    assert shown["properties"]["primaryEndpoints"]["blob"] == "https://stdev01.blob.core.windows.net/"
    assert (shown["sku"]["tier"], shown["properties"]["allowSharedKeyAccess"]) == ("Standard", False)
    assert not client.arm.data_plane.shared_key_allowed("stdev01")
    again = await client.put(ACCOUNT, account_body(minimumTlsVersion="TLS1_2"))
    assert again.status == 200
    keys = await client.send("POST", f"{ACCOUNT}/listKeys", **{"$expand": "kerb"})
    assert [row["value"] for row in keys.body["keys"]] == ["stdev01-1", "stdev01-2"]

    service = f"{ACCOUNT}/blobServices/default"
    assert (await client.get(service)).body["properties"]["isVersioningEnabled"] is False
    versioned = {"isVersioningEnabled": True, "deleteRetentionPolicy": {"enabled": True, "days": 14}}
    assert (await client.put(service, {"properties": versioned})).status == 200
    assert (await client.get(service)).body["properties"]["deleteRetentionPolicy"]["days"] == 14

    assert (await client.put(CONTAINER, {"properties": {"metadata": {"a": "b"}}})).status == 201
    assert client.accounts.containers["stdev01"] == {"tfstate"}
    client.accounts.containers["stdev01"].add("made-by-a-blob-client")
    listed = await client.get(f"{service}/containers")
    assert [row["name"] for row in listed.body["value"]] == ["made-by-a-blob-client", "tfstate"]
    assert (await client.get(CONTAINER)).body["properties"]["metadata"] == {"a": "b"}
    assert (await client.delete(CONTAINER)).status == 200
    assert client.accounts.containers["stdev01"] == {"made-by-a-blob-client"}
    assert (await client.delete(ACCOUNT)).status == 200
    assert client.accounts.containers == {}
    assert (await client.get(ACCOUNT)).status == 404


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("Bad_Name", 400, "AccountNameInvalid"),
        ("ab", 400, "AccountNameInvalid"),
        ("stterraformstate", 409, "StorageAccountAlreadyTaken"),
    ],
)
async def test_names(client: Client, name: str, status: int, code: str) -> None:
    await client.group()
    refused = await client.send("PUT", f"{STORAGE}/{name}", account_body())
    assert (refused.status, refused.code) == (status, code)
    assert (await client.get(f"{STORAGE}/{name}")).status == 404
    check = f"{SUBSCRIPTION}/providers/Microsoft.Storage/checkNameAvailability"
    body = {"name": name, "type": "Microsoft.Storage/storageAccounts"}
    answer = await client.send("POST", check, body)
    assert answer.body["nameAvailable"] is False
    assert answer.body["reason"] == ("AlreadyExists" if status == 409 else "AccountNameInvalid")
    assert (await client.send("POST", check, {**body, "name": "stfree01"})).body == {"nameAvailable": True}


async def test_blob_rights_come_from_role_assignments(client: Client) -> None:
    await client.group()
    await client.put(ACCOUNT, account_body())
    await client.put(CONTAINER, {"properties": {}})
    allowed = client.arm.data_plane.blob_allowed
    assert client.arm.data_plane.blob_account_exists("stdev01")
    assert client.arm.data_plane.shared_key_allowed("stdev01")
    assert not allowed(OWNER, "stdev01", "tfstate", False), "Owner alone gives no blob right"
    role = f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{CONTRIBUTOR}"
    body = {"properties": {"principalId": IDENTITY.object_id, "roleDefinitionId": role}}
    assert (
        await client.put(f"{CONTAINER}/providers/Microsoft.Authorization/roleAssignments/{NAME}", body)
    ).status == 201
    assert allowed(OWNER, "stdev01", "tfstate", True)
    assert not allowed(OWNER, "stdev01", "other", False)
    assert not allowed(OWNER, "stdev01", None, False)
    assert not allowed(STRANGER, "stdev01", "tfstate", False)
    assert not allowed(OWNER, "elsewhere", "tfstate", False)
    assert (await client.delete(CONTAINER)).status == 200
    assert not allowed(OWNER, "stdev01", "tfstate", True), "the assignment goes with its scope"


async def test_a_lifecycle_policy(client: Client) -> None:
    await client.group()
    await client.put(ACCOUNT, account_body())
    path = f"{ACCOUNT}/managementPolicies/default"
    assert (await client.get(path)).status == 404
    action = {"version": {"delete": {"daysAfterCreationGreaterThan": 90}}}
    rule = {
        "name": "old-versions",
        "enabled": True,
        "type": "Lifecycle",
        "definition": {"actions": action, "filters": {"blobTypes": ["blockBlob"]}},
    }
    made = await client.put(path, {"properties": {"policy": {"rules": [rule]}}})
    assert made.status == 200
    assert (await client.get(path)).body["properties"]["policy"]["rules"][0]["name"] == "old-versions"
