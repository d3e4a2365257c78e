"""A Kubernetes API in this process, with our client opened on it."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from gpuplatform.kubernetes.client import api_client
from gpuplatform.kubernetes.cluster import Cluster
from gpuplatform.kubernetes.kubeconfig import ClusterAccess
from sandbox.kubernetes.clusters import Clusters, User
from sandbox.state import State

HOST = "127.0.0.1"
NO_GROUP = {"kind": "Status", "status": "Failure", "reason": "NotFound", "message": "not found", "code": 404}


@dataclass
class Emulator:
    cluster: Cluster
    requests: list[str]
    """Method and path of every request so far."""


@contextmanager
def emulator(*, kueue: bool) -> Iterator[Emulator]:
    """One cluster on a free port of the loopback, its controllers running."""
    seen: list[str] = []
    addons = frozenset({"kueue"} if kueue else ())
    started, stop = threading.Event(), asyncio.Event()
    port = 0
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        nonlocal port
        clusters = Clusters(State(), lambda _host, _token: User("admin", ("system:masters",)))
        clusters.create(HOST, kubernetes_version="1.34.1", addons=addons)

        await clusters.start()

        async def handle(request: web.Request) -> web.StreamResponse:
            seen.append(f"{request.method} {request.path}")
            if not kueue and request.path.startswith("/apis/kueue."):
                return web.json_response(NO_GROUP, status=404)  # no such group either, not just no controller
            return await clusters.handle(request)

        application = web.Application()
        application.router.add_route("*", "/{path:.*}", handle)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, HOST, 0)
        await site.start()
        port = runner.addresses[0][1]
        started.set()
        await stop.wait()
        await runner.cleanup()
        await clusters.stop()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert started.wait(10), "the emulator did not start"
    with tempfile.TemporaryDirectory() as folder:
        api: Any = api_client(ClusterAccess(f"http://{HOST}:{port}", None, token="t"), Path(folder), 10, None)
        try:
            yield Emulator(Cluster("test", f"http://{HOST}:{port}", api, Path(folder)), seen)
        finally:
            api.rest_client.close()
            loop.call_soon_threadsafe(stop.set)
            thread.join(10)
            loop.close()
