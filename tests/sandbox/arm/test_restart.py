"""What is kept over a restart, and operations that were under way."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sandbox.arm.throttle import Throttle
from sandbox.state import State
from tests.sandbox.arm.conftest import GROUP, serve
from tests.sandbox.arm.test_kubernetes_service import CLUSTER, cluster_body
from tests.sandbox.arm.test_storage import ACCOUNT, account_body


async def test_a_restart_brings_everything_back_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    state = State(path)
    async for client in serve(state):
        await client.group()
        await client.put(ACCOUNT, account_body())
        await client.put(CLUSTER, cluster_body())
        host = (await client.get(CLUSTER)).body["properties"]["fqdn"]
        deleting = await client.send("DELETE", ACCOUNT)
        assert deleting.status == 200
        half = await client.send("PUT", f"{CLUSTER}b", cluster_body())
        assert half.body["properties"]["provisioningState"] == "Creating"
    state.close()

    again = State(path)
    async for client in serve(again):
        assert client.accounts.containers == {}
        assert len(client.clusters.nodes[host]) == 2
        assert (await client.settle(half))["status"] == "Succeeded"
        finished = await client.get(f"{CLUSTER}b")
        assert finished.body["properties"]["provisioningState"] == "Succeeded"
        assert len(client.clusters.nodes) == 2
        assert (await client.get(GROUP)).status == 200
    again.close()


def test_a_bucket_fills_up_again() -> None:
    time = [0.0]
    throttle = Throttle(lambda: time[0])
    for left in range(199, -1, -1):
        assert throttle.take("s", "PUT", "x") == {"x-ms-ratelimit-remaining-subscription-writes": str(left)}
    time[0] = 0.25
    assert throttle.take("s", "DELETE", "x")["x-ms-ratelimit-remaining-subscription-writes"] == "1"
    assert throttle.take("s", "GET", "x")["x-ms-ratelimit-remaining-subscription-reads"] == "249"


async def test_operations_in_progress_are_left_alone_by_stop(tmp_path: Path) -> None:
    state = State(tmp_path / "state.db")
    async for client in serve(state):
        await client.group()
        started = await client.send("PUT", CLUSTER, cluster_body())
        await asyncio.sleep(0)
    identifier = started.headers["Azure-AsyncOperation"].split("/operations/")[1].split("?")[0]
    assert state.table("arm.operations")[identifier]["status"] == "InProgress"
    state.close()
