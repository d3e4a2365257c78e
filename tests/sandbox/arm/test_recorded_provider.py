"""Replays what the released azurerm provider sent: every answer must be one it accepts.

The recordings are not part of the project; without them there is nothing to replay.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.sandbox.arm.conftest import SUBSCRIPTION, Answer, Client
from tests.sandbox.arm.doubles import IDENTITY
from tests.sandbox.arm.recordings import RECORDINGS, load

_FILE = RECORDINGS / "azurerm-provider.json"
_DISK = re.compile(r"gpu1_OsDisk_1_[0-9a-f]{32}")
_SCENARIOS = (
    "resource_group",
    "capacity_reservation",
    "data_sources",
    "kubernetes_cluster",
    "kubernetes_cluster_entra",
    "kubernetes_cluster_node_pool",
    "linux_virtual_machine",
    "log_analytics_workspace",
    "management_lock",
    "network_interface_public_ip",
    "network_security_group",
    "role_assignment",
    "storage_account",
    "storage_account_plain",
    "storage_container",
    "subnet",
    "user_assigned_identity",
    "virtual_network",
)

pytestmark = pytest.mark.skipif(not _FILE.exists(), reason="the recordings are not here")


def _load() -> dict[str, Any]:
    return {scenario["scenario"]: scenario for scenario in load(_FILE)["scenarios"]}


@pytest.fixture(scope="module")
def recordings() -> dict[str, Any]:
    return _load()


def _accepted(request: dict[str, Any]) -> set[int]:
    """Status codes that the provider's client library takes, read from its code."""
    method, path = request["method"], request["path"]
    if method == "PUT":
        return {200, 202} if re.search(r"/storageAccounts/[^/]+$", path) else {200, 201}
    if method == "DELETE":
        return {202, 204} if "managedClusters" in path else {200, 202, 204}
    if method == "POST":
        return {200, 202}
    return {int(request["status"])}


async def _replay(client: Client, request: dict[str, Any], names: dict[str, str]) -> Answer | None:
    if "{operation}" in request["path"]:
        return None  # the operation was waited for when it began
    text = json.dumps([request["path"], request.get("body")])
    path, body = json.loads(_DISK.sub(names.get("disk", ""), text))
    query = {key: value for key, value in (request.get("query") or {}).items() if key != "api-version"}
    version = request["query"]["api-version"]
    answer = await client.send(request["method"], path, body, version=version, **query)
    if request["method"] == "GET" and request["status"] == 404:
        for _ in range(100):  # the provider waits like this for a deletion
            if answer.status == 404:
                break
            await asyncio.sleep(0.02)
            answer = await client.send("GET", path, version=version, **query)
    if request["method"] != "GET" and {"Azure-AsyncOperation", "Location"} & set(answer.headers):
        ended = await client.settle(answer)
        assert (ended or {}).get("status", "Succeeded") == "Succeeded", ended
    if path.endswith("/virtualMachines/gpu1") and answer.status == 200 and request["method"] == "GET":
        names["disk"] = answer.body["properties"]["storageProfile"]["osDisk"]["name"]
    return answer


@pytest.mark.parametrize("name", _SCENARIOS)
async def test_the_provider_would_be_content(client: Client, recordings: dict[str, Any], name: str) -> None:
    scenario, names = recordings[name], {"disk": "none"}
    client.arm.context.operations.pace = 0.1
    client.arm.context.quota.set_limit(IDENTITY.subscription_id, "eastus", "StandardNCADSA100v4Family", 400)
    if name not in {"resource_group", "data_sources"}:
        await client.put(f"{SUBSCRIPTION}/resourceGroups/rg-tf", {"location": "eastus"})
    replayed = 0
    for phase in ("apply", "plan", "update", "plan2", "destroy"):
        for request in scenario["phases"].get(phase, {}).get("requests", ()):
            if request["host"] != "management.azure.com":
                continue
            answer = await _replay(client, request, names)
            if answer is not None:
                replayed += 1
                where = f"{phase}: {request['method']} {request['path']}: {answer.status} {answer.body}"
                assert answer.status in _accepted(request), where
    assert replayed


def _what(path: str) -> str:
    """The type and name at the end of a path; names that the provider made up differ between runs."""
    made_up = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "…", path)
    return "/".join(_DISK.sub("…", made_up).rsplit("/", 4)[1:])


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield path, None
        for key, member in value.items():
            yield from _flat(member, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        yield path, None
        for member in value:
            yield from _flat(member, f"{path}[]")
    else:
        yield path, value


@pytest.mark.parametrize("name", _SCENARIOS)
async def test_reads_hold_what_a_clean_plan_needs(
    client: Client, recordings: dict[str, Any], name: str
) -> None:
    """Each field without which the provider saw a difference is there, with the value it had sent."""
    scenario, names = recordings[name], {"disk": "none"}
    client.arm.context.operations.pace = 0.1
    needed = scenario.get("read_fields_needed_for_a_clean_plan")
    if not needed:
        pytest.skip("nothing was found to be needed")
    await client.put(f"{SUBSCRIPTION}/resourceGroups/rg-tf", {"location": "eastus"})
    reads: dict[str, tuple[Any, Any]] = {}
    for request in scenario["phases"]["apply"]["requests"]:
        answer = await _replay(client, request, names)
        if answer is not None and request["method"] == "GET" and answer.status == 200:
            reads[_what(request["path"])] = (answer.body, request["response"])
    compared = 0
    for read, fields in needed.items():
        found = reads.get(_what(read))
        if found is None:
            continue
        ours, theirs = dict(_flat(found[0])), dict(_flat(found[1]))
        wanted = [*fields["must_echo_from_request"], *(row["field"] for row in fields["server_must_add"])]
        for field in wanted:
            compared += 1
            assert field in ours, f"{read}: {field} is missing"
            if not field.endswith(("id", "scope")) and field in theirs:
                assert ours[field] == theirs[field], f"{read}: {field}"
    assert compared
