"""Blob storage through the unmodified SDK: proxy, TLS, authorisation, Azurite."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import httpx
import pytest
from azure.core import MatchConditions
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceModifiedError,
    ServiceRequestError,
)
from azure.identity import ClientSecretCredential
from azure.storage.blob import BlobServiceClient, ContentSettings, generate_blob_sas

from sandbox.blob.authorization import container_of
from tests.sandbox.core.conftest import Core

pytestmark = pytest.mark.usefixtures("azurite")

ACCOUNT = "stcore01"
URL = f"https://{ACCOUNT}.blob.core.windows.net"
T = TypeVar("T")


@pytest.fixture
async def account(core: Core) -> Core:
    core.rights.accounts.add(ACCOUNT)
    await core.accounts.ensure(ACCOUNT)
    return core


@contextmanager
def service(core: Core, credential: Any = None) -> Iterator[BlobServiceClient]:
    identity = core.identity
    with (
        ClientSecretCredential(identity.tenant_id, identity.client_id, identity.client_secret) as own,
        BlobServiceClient(URL, credential or own, retry_total=0) as client,
    ):
        yield client


async def using(core: Core, work: Callable[[BlobServiceClient], T], credential: Any = None) -> T:
    """The SDK is synchronous and the servers are in this loop: it works in a thread."""

    def run() -> T:
        with service(core, credential) as client:
            return work(client)

    return await asyncio.to_thread(run)


async def test_a_blob_goes_there_and_back_in_parts_and_ranges(account: Core) -> None:
    data = os.urandom(9_000_000)

    def work(client: BlobServiceClient) -> tuple[bytes, bytes, int, str | None]:
        container = client.create_container("state")
        blob = container.get_blob_client("a b/ü+%.bin")
        settings = ContentSettings(content_type="application/x-test", content_encoding="gzip")
        blob.upload_blob(data, metadata={"owner": "me"}, content_settings=settings)
        properties = blob.get_blob_properties()
        assert properties.metadata == {"owner": "me"}
        assert [entry.name for entry in container.list_blobs()] == ["a b/ü+%.bin"]
        whole = blob.download_blob(decompress=False).readall()
        part = blob.download_blob(offset=1000, length=50, decompress=False).readall()
        return whole, part, properties.size, properties.content_settings.content_encoding

    whole, part, size, encoding = await using(account, work)
    assert whole == data
    assert part == data[1000:1050]
    assert (size, encoding) == (len(data), "gzip")


async def test_leases_and_etags_guard_a_blob(account: Core) -> None:
    def work(client: BlobServiceClient) -> None:
        blob = client.create_container("locks").get_blob_client("x")
        first = blob.upload_blob(b"1")
        lease = blob.acquire_lease(-1)
        with pytest.raises(HttpResponseError, match="LeaseIdMissing"):
            blob.upload_blob(b"2", overwrite=True)
        blob.upload_blob(b"2", overwrite=True, lease=lease)
        lease.release()
        with pytest.raises(ResourceModifiedError):
            blob.upload_blob(
                b"3", overwrite=True, etag=first["etag"], match_condition=MatchConditions.IfNotModified
            )
        with pytest.raises(ResourceExistsError):
            blob.upload_blob(b"4")
        assert blob.download_blob().readall() == b"2"

    await using(account, work)


async def test_without_a_role_reading_and_writing_are_refused(account: Core) -> None:
    await account.accounts.create_container(ACCOUNT, "state")
    account.rights.may_read, account.rights.may_write = True, False

    def write(client: BlobServiceClient) -> None:
        client.get_blob_client("state", "x").upload_blob(b"1")

    def read(client: BlobServiceClient) -> list[str]:
        return [entry.name for entry in client.get_container_client("state").list_blobs()]

    with pytest.raises(HttpResponseError, match="AuthorizationPermissionMismatch") as refused:
        await using(account, write)
    assert refused.value.status_code == 403
    assert await using(account, read) == []
    account.rights.may_read = False
    with pytest.raises(HttpResponseError, match="AuthorizationPermissionMismatch"):
        await using(account, read)
    assert (ACCOUNT, "state", True) in account.rights.asked


async def test_keys_and_sas_work_only_where_the_account_allows_them(account: Core) -> None:
    await account.accounts.create_container(ACCOUNT, "keyed")
    first, second = account.accounts.keys(ACCOUNT)

    def names(client: BlobServiceClient) -> list[str]:
        return [entry.name for entry in client.list_containers()]

    with pytest.raises(HttpResponseError, match="KeyBasedAuthenticationNotPermitted"):
        await using(account, names, first)
    account.rights.shared_keys = True
    assert await using(account, names, first) == ["keyed"]
    assert await using(account, names, second) == ["keyed"]
    with pytest.raises(ClientAuthenticationError):
        await using(account, names, first[:-8] + "AAAAAA==")

    def by_sas(client: BlobServiceClient) -> bytes:
        client.get_blob_client("keyed", "x").upload_blob(b"sas")
        sas = generate_blob_sas(
            ACCOUNT,
            "keyed",
            "x",
            account_key=first,
            permission="r",
            expiry=datetime.now(UTC) + timedelta(minutes=5),
        )
        with BlobServiceClient(URL, sas) as signed:
            return signed.get_blob_client("keyed", "x").download_blob().readall()

    assert await using(account, by_sas) == b"sas"


async def test_a_user_delegation_sas_does_what_its_signer_may(account: Core) -> None:
    await account.accounts.create_container(ACCOUNT, "delegated")
    identity = account.identity
    account.rights.may_write = True

    def by_sas(client: BlobServiceClient) -> bytes:
        client.get_blob_client("delegated", "x").upload_blob(b"mine")
        now = datetime.now(UTC)
        key = client.get_user_delegation_key(now - timedelta(minutes=1), now + timedelta(minutes=5))
        assert key.signed_oid == identity.object_id
        sas = generate_blob_sas(
            ACCOUNT,
            "delegated",
            "x",
            user_delegation_key=key,
            permission="r",
            expiry=now + timedelta(minutes=4),
        )
        with BlobServiceClient(URL, sas, retry_total=0) as signed:
            blob = signed.get_blob_client("delegated", "x")
            first = blob.download_blob().readall()
            account.rights.may_read = False
            with pytest.raises(HttpResponseError, match="AuthorizationPermissionMismatch"):
                blob.download_blob()
            return first

    assert await using(account, by_sas) == b"mine"


async def test_tokens_must_be_for_storage_and_ours(account: Core) -> None:
    management = account.tokens.issue(account.identity.client_id, "https://management.azure.com/.default")
    headers = {"x-ms-version": "2025-11-05"}
    async with httpx.AsyncClient(headers=headers) as client:
        anonymous = await client.get(f"{URL}/?comp=list")
        wrong = await client.get(f"{URL}/?comp=list", headers={"Authorization": f"Bearer {management}"})
        forged = await client.head(f"{URL}/c/b", headers={"Authorization": "Bearer a.b.c"})
        copy = await client.put(f"{URL}/c/b", headers={"x-ms-copy-source": "https://example.org/x"})
    assert (anonymous.status_code, anonymous.headers["x-ms-error-code"]) == (
        401,
        "NoAuthenticationInformation",
    )
    assert f"/{account.identity.tenant_id}/" in anonymous.headers["WWW-Authenticate"]
    assert "<Code>InvalidAuthenticationInfo</Code>" in wrong.text
    assert "Audience" in wrong.text
    assert (forged.status_code, forged.text) == (401, "")
    assert copy.status_code == 501


async def test_an_account_that_does_not_exist_has_no_host(core: Core) -> None:
    def names(client: BlobServiceClient) -> list[str]:
        return [entry.name for entry in client.list_containers()]

    with pytest.raises(ServiceRequestError, match="403"):
        await using(core, names)


async def test_arm_can_create_list_and_delete_containers(account: Core) -> None:
    accounts = account.accounts
    assert await accounts.create_container(ACCOUNT, "one") is True
    assert await accounts.create_container(ACCOUNT, "one") is False
    assert await accounts.create_container(ACCOUNT, "two") is True
    assert await accounts.list_containers(ACCOUNT) == ["one", "two"]
    assert await accounts.delete_container(ACCOUNT, "one") is True
    assert await accounts.list_containers(ACCOUNT) == ["two"]
    assert await accounts.delete_container(ACCOUNT, "missing") is False


async def test_blobs_outlive_a_restart_and_a_killed_azurite(account: Core) -> None:
    accounts = account.accounts
    await accounts.create_container(ACCOUNT, "kept")
    await using(account, lambda client: client.get_blob_client("kept", "x").upload_blob(b"kept"))
    await accounts.stop()
    assert accounts.running() == {}
    await accounts.start()

    def read(client: BlobServiceClient) -> bytes:
        return client.get_blob_client("kept", "x").download_blob().readall()

    assert await using(account, read) == b"kept"
    os.kill(accounts.running()[ACCOUNT], signal.SIGKILL)
    async with asyncio.timeout(5):
        while accounts.running():  # noqa: ASYNC110 - what is waited for is the loop reaping a process
            await asyncio.sleep(0.02)
    assert await using(account, read) == b"kept"


async def test_removing_an_account_removes_its_process_data_and_keys(account: Core) -> None:
    accounts = account.accounts
    keys = accounts.keys(ACCOUNT)
    await accounts.create_container(ACCOUNT, "gone")
    await accounts.remove(ACCOUNT)
    assert accounts.running() == {}
    await accounts.ensure(ACCOUNT)
    assert await accounts.list_containers(ACCOUNT) == []
    assert accounts.keys(ACCOUNT) != keys


async def test_many_requests_at_once_share_one_azurite(account: Core) -> None:
    await account.accounts.remove(ACCOUNT)
    await asyncio.gather(*(account.accounts.create_container(ACCOUNT, f"box-{n}") for n in range(8)))
    assert len(account.accounts.running()) == 1
    assert len(await account.accounts.list_containers(ACCOUNT)) == 8


@pytest.mark.parametrize(
    ("path", "container"), [("/", None), ("/c", "c"), ("/c/", "c"), ("/c/a/b", "c"), ("", None)]
)
def test_the_container_is_the_paths_first_part(path: str, container: str | None) -> None:
    assert container_of(path) == container
