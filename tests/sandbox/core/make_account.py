"""Makes a storage account, a role assignment and a blob with the Azure SDKs.

With `check` it looks whether the blob is there; with `lease NAME` it leases a blob for good.

A program of its own: it knows nothing of the sandbox but its environment.
"""

from __future__ import annotations

import os
import sys
import time
import uuid

from azure.core.credentials import TokenCredential
from azure.core.exceptions import HttpResponseError
from azure.identity import DefaultAzureCredential
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.resource.resources import ResourceManagementClient
from azure.mgmt.storage import StorageManagementClient
from azure.mgmt.storage.models import BlobContainer
from azure.storage.blob import BlobClient

GROUP, ACCOUNT, CONTAINER = "rg-core", "stcoreblob01", "state"
BLOB_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
OBJECT_ID = "c3d2e4b6-798a-4e9a-9f32-40516c7d8e9f"


def make(credential: TokenCredential, subscription: str) -> None:
    with ResourceManagementClient(credential, subscription) as resources:
        resources.resource_groups.create_or_update(GROUP, {"location": "eastus2"})
    with StorageManagementClient(credential, subscription) as storage:
        account = storage.storage_accounts.begin_create(
            GROUP,
            ACCOUNT,
            {
                "location": "eastus2",
                "kind": "StorageV2",
                "sku": {"name": "Standard_LRS"},
                "properties": {"allowSharedKeyAccess": False, "minimumTlsVersion": "TLS1_2"},
            },
        ).result(60)
        storage.blob_containers.create(GROUP, ACCOUNT, CONTAINER, BlobContainer())
    with blob(credential) as client:
        try:
            client.upload_blob(b"too early")
        except HttpResponseError as error:
            if error.status_code != 403:
                raise
        else:
            sys.exit("an owner without a data role could write")
    scope = account.id or ""
    with AuthorizationManagementClient(credential, subscription) as authorization:
        role = f"/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/"
        authorization.role_assignments.create(
            scope,
            str(uuid.uuid5(uuid.NAMESPACE_URL, scope)),
            {
                "properties": {
                    "roleDefinitionId": role + BLOB_CONTRIBUTOR,
                    "principalId": OBJECT_ID,
                    "principalType": "ServicePrincipal",
                }
            },
        )
    with blob(credential) as client:
        client.upload_blob(b"kept", overwrite=True)


def check(credential: TokenCredential) -> None:
    with blob(credential) as client:
        if client.download_blob().readall() != b"kept":
            sys.exit("the blob has changed")


def blob(credential: TokenCredential, name: str = "a/b.txt") -> BlobClient:
    url = f"https://{ACCOUNT}.blob.core.windows.net"
    return BlobClient(url, CONTAINER, name, credential=credential)


if __name__ == "__main__":
    began = time.monotonic()
    with DefaultAzureCredential() as default:
        if sys.argv[1:] == ["check"]:
            check(default)
        elif sys.argv[1:2] == ["lease"]:
            with blob(default, sys.argv[2]) as leased:
                leased.acquire_lease(-1)
        else:
            make(default, os.environ["AZURE_SUBSCRIPTION_ID"])
    print(f"done in {time.monotonic() - began:.1f} s")
