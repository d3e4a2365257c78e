"""An ARM over plain HTTP with doubles for the other parts, and a client that waits for operations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from sandbox.arm.service import Arm
from sandbox.state import State
from tests.sandbox.arm.doubles import IDENTITY, FakeAccounts, FakeClusters, FakeTokens

SUBSCRIPTION = f"/subscriptions/{IDENTITY.subscription_id}"
GROUP = f"{SUBSCRIPTION}/resourceGroups/rg-gpu"
VERSIONS = {
    "microsoft.compute": "2024-11-01",
    "microsoft.network": "2025-01-01",
    "microsoft.containerservice": "2025-10-01",
    "microsoft.storage": "2025-08-01",
    "microsoft.managedidentity": "2024-11-30",
    "microsoft.operationalinsights": "2025-07-01",
    "microsoft.authorization/locks": "2020-05-01",
    "microsoft.authorization/roleassignments": "2022-04-01",
    "microsoft.authorization/roledefinitions": "2022-04-01",
    "microsoft.compute/disks": "2023-04-02",
    "microsoft.compute/skus": "2021-07-01",
}


@dataclass
class Answer:
    status: int
    body: Any
    headers: dict[str, str]

    @property
    def code(self) -> str:
        return str(self.body["error"]["code"])

    @property
    def message(self) -> str:
        return str(self.body["error"]["message"])


@dataclass
class Client:
    """Sends requests as the owner, with an api-version that fits the path."""

    http: TestClient[web.Request, web.Application]
    arm: Arm
    accounts: FakeAccounts
    clusters: FakeClusters
    state: State = field(repr=False)

    async def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = "owner",  # noqa: S107  # the name of a made-up caller  # noqa: S107  # the name of a made-up caller
        version: str | None = "",
        **query: str,
    ) -> Answer:
        parameters = dict(query)
        if version is not None:
            parameters["api-version"] = version or _version(path)
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        async with self.http.request(method, path, json=body, params=parameters, headers=headers) as response:
            is_json = response.content_type == "application/json" and method != "HEAD"
            content = await response.json() if is_json else None
            return Answer(response.status, content, dict(response.headers))

    async def get(self, path: str, **query: str) -> Answer:
        return await self.send("GET", path, None, **query)

    async def settle(self, answer: Answer) -> dict[str, Any]:
        """Poll the operation of an answer until it ends; its last document."""
        url = answer.headers.get("Azure-AsyncOperation") or answer.headers["Location"]
        assert url.startswith("https://management.azure.com/")
        path, _, query = url.removeprefix("https://management.azure.com").partition("?")
        parameters = dict(pair.split("=", 1) for pair in query.split("&"))
        version = parameters.pop("api-version")
        for _ in range(200):
            polled = await self.send("GET", path, version=version, **parameters)
            assert polled.status in {200, 202}, polled
            running = polled.status == 202 or (
                isinstance(polled.body, dict) and polled.body.get("status") == "InProgress"
            )
            if not running:
                return cast("dict[str, Any]", polled.body)
            await asyncio.sleep(0.02)
        raise AssertionError(f"{path} does not end")

    async def put(self, path: str, body: Any, **query: str) -> Answer:
        """PUT, wait for the end, and answer with the first response."""
        answer = await self.send("PUT", path, body, **query)
        if "Azure-AsyncOperation" in answer.headers or "Location" in answer.headers:
            ended = await self.settle(answer)
            if "Azure-AsyncOperation" in answer.headers:
                assert ended["status"] == "Succeeded", ended
        return answer

    async def delete(self, path: str) -> Answer:
        answer = await self.send("DELETE", path)
        if answer.status == 202:
            await self.settle(answer)
        return answer

    async def group(self, name: str = "rg-gpu", location: str = "eastus") -> str:
        path = f"{SUBSCRIPTION}/resourceGroups/{name}"
        assert (await self.put(path, {"location": location})).status == 201
        return path


def _version(path: str) -> str:
    lowered = path.lower()
    if "/providers/" not in lowered:
        return "2022-12-01" if "/resource" not in lowered else "2025-04-01"
    tail = lowered.rsplit("/providers/", 1)[1].split("/")
    return VERSIONS.get("/".join(tail[:2])) or VERSIONS.get(tail[0], "2022-12-01")


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async for made in serve(State()):
        yield made


async def serve(state: State) -> AsyncIterator[Client]:
    accounts, clusters = FakeAccounts(), FakeClusters()
    arm = Arm(state, IDENTITY, cast("Any", FakeTokens()), cast("Any", accounts), cast("Any", clusters), b"CA")
    application = web.Application()
    application.router.add_route("*", "/{tail:.*}", arm.handle)
    async with TestClient(TestServer(application)) as http:
        await arm.start()
        yield Client(http, arm, accounts, clusters, state)
        await arm.stop()
