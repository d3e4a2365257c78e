"""Resource groups, the checks before every handler, locks and roles."""

from __future__ import annotations

import asyncio

import pytest

from tests.sandbox.arm.conftest import GROUP, SUBSCRIPTION, Client
from tests.sandbox.arm.doubles import IDENTITY, STRANGER, network_body

NETWORK = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/vnet1"
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
NAME = "8489d2d6-3588-4e9b-b898-4505375cb83a"


async def test_a_group_lives_and_dies_with_what_is_in_it(client: Client) -> None:
    assert (await client.get(GROUP)).code == "ResourceGroupNotFound"
    assert (await client.send("HEAD", GROUP)).status == 404
    created = await client.put(GROUP, {"location": "East US", "tags": {"v": "1"}})
    assert created.status == 201
    assert created.body["location"] == "eastus"
    assert created.body["properties"]["provisioningState"] == "Succeeded"
    assert (await client.put(GROUP, {"location": "eastus", "tags": {"v": "2"}})).status == 200
    assert (await client.send("HEAD", GROUP)).status == 204
    assert (await client.put(NETWORK, network_body())).status == 201
    listed = await client.get(f"{GROUP}/resources", **{"$expand": "provisioningState", "$top": "10"})
    assert [row["name"] for row in listed.body["value"]] == ["vnet1"]

    deleting = await client.send("DELETE", GROUP)
    assert deleting.status == 202
    assert "Azure-AsyncOperation" not in deleting.headers
    assert (await client.get(GROUP)).body["properties"]["provisioningState"] == "Deleting"
    assert (await client.send("PUT", NETWORK, network_body())).code == "ResourceGroupBeingDeleted"
    await client.settle(deleting)
    assert (await client.get(GROUP)).status == 404
    assert (await client.get(f"{SUBSCRIPTION}/resources")).body["value"] == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "LocationRequired"),
        ({"location": "mars"}, "LocationNotAvailableForResourceGroup"),
        ({"location": 7}, "InvalidRequestContent"),
        ([], "InvalidRequestContent"),
    ],
)
async def test_bad_groups_are_refused(client: Client, body: object, code: str) -> None:
    answer = await client.send("PUT", GROUP, body)
    assert (answer.status, answer.code) == (400, code)


async def test_groups_are_filtered_by_tag_and_paged(client: Client) -> None:
    for number in range(3):
        await client.put(
            f"{SUBSCRIPTION}/resourceGroups/rg-{number}", {"location": "eastus", "tags": {"n": f"{number}"}}
        )
    path = f"{SUBSCRIPTION}/resourcegroups"
    found = await client.get(path, **{"$filter": "tagName eq 'n' and tagValue eq '1'"})
    assert [row["name"] for row in found.body["value"]] == ["rg-1"]
    first = await client.get(path, **{"$top": "2"})
    assert len(first.body["value"]) == 2
    assert first.body["nextLink"].startswith("https://management.azure.com/subscriptions/")
    second = await client.get(path, **{"$top": "2", "$skiptoken": "2"})
    assert [row["name"] for row in second.body["value"]] == ["rg-2"]
    assert "nextLink" not in second.body


async def test_what_comes_before_every_handler(client: Client) -> None:
    without = await client.send("GET", GROUP, token=None)
    assert (without.status, without.code) == (401, "AuthenticationFailed")
    assert "authorization_uri=" in without.headers["WWW-Authenticate"]
    assert (await client.send("GET", GROUP, token="forged")).code == "InvalidAuthenticationToken"
    assert (await client.send("GET", GROUP, token="blob")).code == "InvalidAuthenticationTokenAudience"
    assert (await client.send("GET", GROUP, version=None)).code == "MissingApiVersionParameter"
    assert (await client.send("GET", GROUP, version="2001-01-01")).code == "InvalidApiVersionParameter"
    other = await client.get("/subscriptions/00000000-0000-0000-0000-00000000ffff")
    assert (other.status, other.code) == (404, "SubscriptionNotFound")
    await client.group()
    old = await client.send("GET", NETWORK, version="1999-01-01")
    assert (old.status, old.code) == (400, "NoRegisteredProviderFound")
    assert "2025-01-01" in old.message


@pytest.mark.parametrize(
    ("method", "path", "status", "code", "named"),
    [
        (
            "GET",
            f"{GROUP}/providers/Microsoft.Cache/redis/r",
            404,
            "InvalidResourceNamespace",
            "Microsoft.Cache",
        ),
        (
            "GET",
            f"{GROUP}/providers/Microsoft.Network/bastionHosts/b",
            404,
            "InvalidResourceType",
            "bastionHosts",
        ),
        (
            "POST",
            f"{NETWORK}/checkIPAddressAvailability",
            405,
            "MethodNotAllowed",
            "checkIPAddressAvailability",
        ),
        ("DELETE", f"{SUBSCRIPTION}/locations", 405, "MethodNotAllowed", "locations"),
    ],
)
async def test_what_is_not_emulated_says_so(
    client: Client, *, method: str, path: str, status: int, code: str, named: str
) -> None:
    await client.group()
    answer = await client.send(method, path)
    assert (answer.status, answer.code) == (status, code)
    assert named in answer.message


async def test_every_answer_has_ids_and_limits(client: Client) -> None:
    answer = await client.get(SUBSCRIPTION)
    assert answer.body["displayName"] == IDENTITY.subscription_name
    assert answer.headers["x-ms-ratelimit-remaining-subscription-reads"] == "249"
    assert answer.headers["x-ms-request-id"]
    assert answer.headers["X-Go-Azure-Sdk-Skip-Polling-Delay"] == "true"


async def test_requests_are_throttled_with_real_headers(client: Client) -> None:
    statuses = await asyncio.gather(*(client.get(SUBSCRIPTION) for _ in range(300)))
    refused = [answer for answer in statuses if answer.status == 429]
    assert refused
    assert refused[0].code == "SubscriptionRequestsThrottled"
    assert int(refused[0].headers["Retry-After"]) >= 1
    assert refused[0].headers["x-ms-ratelimit-remaining-subscription-reads"] == "0"


async def test_locks_protect_the_scope_and_what_is_below_and_above(client: Client) -> None:
    await client.group()
    await client.put(NETWORK, network_body())
    lock = f"{GROUP}/providers/Microsoft.Authorization/locks/nodelete"
    made = await client.put(lock, {"properties": {"level": "CanNotDelete", "notes": "keep"}})
    assert made.status == 201
    assert made.body["properties"] == {"level": "CanNotDelete", "notes": "keep"}
    for path in (NETWORK, GROUP):
        refused = await client.send("DELETE", path)
        assert (refused.status, refused.code) == (409, "ScopeLocked")
        assert f"'{GROUP}'" in refused.message
    assert (await client.put(NETWORK, network_body())).status == 200
    assert (await client.send("DELETE", lock)).status == 200

    inner = f"{NETWORK}/providers/Microsoft.Authorization/locks/readonly"
    await client.put(inner, {"properties": {"level": "ReadOnly"}})
    assert (await client.send("PUT", NETWORK, network_body())).code == "ScopeLocked"
    refused = await client.send("DELETE", GROUP)
    assert refused.code == "ScopeLocked"
    assert "cannot perform delete operation" in refused.message
    assert (await client.put(GROUP, {"location": "eastus"})).status == 200, "the group itself is not locked"
    listed = await client.get(f"{GROUP}/providers/Microsoft.Authorization/locks")
    assert [row["name"] for row in listed.body["value"]] == ["readonly"]
    wrong = await client.send(
        "PUT", f"{GROUP}/providers/Microsoft.Authorization/locks/x", {"properties": {"level": "Never"}}
    )
    assert (wrong.status, wrong.code) == (400, "InvalidRequestContent")


async def test_others_need_a_role(client: Client) -> None:
    await client.group()
    denied = await client.send("GET", GROUP, token="stranger")
    assert (denied.status, denied.code) == (403, "AuthorizationFailed")
    assert "Microsoft.Resources/subscriptions/resourceGroups/read" in denied.message
    assert (await client.send("GET", "/subscriptions", token="stranger")).body["value"] == []

    path = f"{GROUP}/providers/Microsoft.Authorization/roleAssignments/{NAME}"
    body = {
        "properties": {
            "principalId": STRANGER.object_id,
            "roleDefinitionId": f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{READER}",
        }
    }
    made = await client.put(path, body)
    assert made.status == 201
    assert made.body["properties"]["scope"] == GROUP
    assert (await client.send("GET", GROUP, token="stranger")).status == 200
    assert (await client.send("DELETE", GROUP, token="stranger")).code == "AuthorizationFailed"
    assert len((await client.send("GET", "/subscriptions", token="stranger")).body["value"]) == 1

    again = await client.send("PUT", path.replace(NAME, NAME[:-1] + "b"), body)
    assert (again.status, again.code) == (409, "RoleAssignmentExists")
    body["properties"]["roleDefinitionId"] = body["properties"]["roleDefinitionId"].replace(
        "acdd72a7", "00000000"
    )
    unknown = await client.send("PUT", path.replace(NAME, NAME[:-1] + "c"), body)
    assert (unknown.status, unknown.code) == (404, "RoleDefinitionDoesNotExist")


async def test_role_lists_are_filtered(client: Client) -> None:
    await client.group()
    roles = f"{GROUP}/providers/Microsoft.Authorization/roleDefinitions"
    found = await client.get(roles, **{"$filter": "roleName eq 'Storage Blob Data Contributor'"})
    assert [row["name"] for row in found.body["value"]] == ["ba92f5b4-2d11-453d-a403-e96b0029c9fe"]
    reader = found.body["value"][0]["id"].rsplit("/", 1)[0] + f"/{READER}"
    path = f"{GROUP}/providers/Microsoft.Authorization/roleAssignments"
    await client.put(
        f"{path}/{NAME}", {"properties": {"principalId": STRANGER.object_id, "roleDefinitionId": reader}}
    )

    async def names(scope: str, text: str | None) -> list[str]:
        query = {} if text is None else {"$filter": text}
        listed = await client.get(f"{scope}/providers/Microsoft.Authorization/roleAssignments", **query)
        return sorted(row["properties"]["principalId"] for row in listed.body["value"])

    both = sorted([IDENTITY.object_id, STRANGER.object_id])
    assert await names(GROUP, "atScope()") == both
    assert await names(SUBSCRIPTION, "atScope()") == [IDENTITY.object_id]
    assert await names(SUBSCRIPTION, None) == both
    assert await names(SUBSCRIPTION, f"principalId eq '{STRANGER.object_id}'") == [STRANGER.object_id]
    assert await names(GROUP, f"atScope() and assignedTo('{STRANGER.object_id}')") == [STRANGER.object_id]
    assert (await client.delete(f"{path}/{NAME}")).status == 200
    assert (await client.delete(f"{path}/{NAME}")).status == 204
