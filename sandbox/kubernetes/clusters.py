"""All emulated clusters: the server's side of every `*.azmk8s.io` name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from aiohttp import web

from sandbox.kubernetes import controllers
from sandbox.kubernetes.api import Answer, Api
from sandbox.kubernetes.bootstrap import fill
from sandbox.kubernetes.cluster import ALL_FEATURES, Cluster
from sandbox.kubernetes.controllers.base import add, find_resource, write_main, write_status
from sandbox.kubernetes.errors import ApiError
from sandbox.kubernetes.nodes import NodeSpec, device_plugin_pod, node_object
from sandbox.kubernetes.request import User
from sandbox.kubernetes.store import Store
from sandbox.kubernetes.watching import Watch
from sandbox.state import State

__all__ = ["Clusters", "NodeSpec", "User"]

_TABLE = "kubernetes-clusters"


class Clusters:
    """Clusters by the host name of their API server, kept in the state.

    Args:
        state: Where the objects of all clusters are kept.
        authenticate: (host, bearer token) to the user, None for a token it does not know (401).
        features: The parts of a control plane that run; tests leave some out.
    """

    def __init__(
        self,
        state: State,
        authenticate: Callable[[str, str], User | None],
        *,
        features: frozenset[str] = ALL_FEATURES,
    ) -> None:
        self._state = state
        self._authenticate = authenticate
        self._features = features
        self._clusters: dict[str, Cluster] = {}
        self._apis: dict[str, Api] = {}
        self._streams: set[asyncio.Task[None]] = set()
        for key, entry in state.table(_TABLE).items():
            if "#" not in key:
                self._open(key, entry["version"], frozenset(entry["addons"]))

    def _open(self, host: str, version: str, addons: frozenset[str]) -> Cluster:
        features = self._features & (ALL_FEATURES - {"kueue"} | addons)
        store = Store(self._state, f"kubernetes:{host}")
        cluster = Cluster(host, version, features, store)
        cluster.reconcilers = controllers.for_features(features)
        self._clusters[host] = cluster
        self._apis[host] = Api(cluster, self._authenticate)
        return cluster

    def create(
        self, host: str, *, kubernetes_version: str, addons: frozenset[str] = frozenset({"kueue"})
    ) -> None:
        """Makes the cluster, or sets the version of one that exists."""
        host = host.lower()
        table = self._state.table(_TABLE)
        table[host] = {"version": kubernetes_version, "addons": sorted(addons)}
        if host in self._clusters:
            self._clusters[host].version = kubernetes_version
            return
        fill(self._open(host, kubernetes_version, addons))

    def set_nodes(self, host: str, nodes: Sequence[NodeSpec]) -> None:
        """The nodes there are now: missing ones go, new ones come (Ready), changed ones change."""
        cluster = self._clusters[host.lower()]
        wanted = {spec.name: spec for spec in nodes}
        resource = find_resource(cluster, "/nodes")
        for node in cluster.items("", "nodes"):
            if node["metadata"]["name"] not in wanted:
                self._remove_node(cluster, node["metadata"]["name"])
                cluster.store.remove(resource, node)
        for number, spec in enumerate(nodes):
            self._add_node(cluster, spec, number)
        cluster.settle()

    @staticmethod
    def _remove_node(cluster: Cluster, name: str) -> None:
        """The pods of a node go with it."""
        resource = find_resource(cluster, "/pods")
        for pod in cluster.items("", "pods"):
            if pod["spec"].get("nodeName") == name:
                cluster.store.remove(resource, pod)

    @staticmethod
    def _add_node(cluster: Cluster, spec: NodeSpec, number: int) -> None:
        wanted = node_object(spec, number)
        live = cluster.get("", "nodes", "", spec.name)
        if live is None:
            add(cluster, "/nodes", wanted, "kubelet")
            if spec.gpus:
                add(cluster, "/pods", device_plugin_pod(spec), "kube-controller-manager")
            return
        metadata = {
            **live["metadata"],
            "labels": {**live["metadata"].get("labels", {}), **wanted["metadata"]["labels"]},
        }
        live = write_main(cluster, "/nodes", live, {**live, "metadata": metadata}, "cloud-node-manager")
        status = {**live["status"], "nodeInfo": wanted["status"]["nodeInfo"]}
        write_status(cluster, "/nodes", live, status, "kubelet")

    def delete(self, host: str) -> None:
        """Forgets the cluster and all its objects; a host that is unknown is fine."""
        host = host.lower()
        self._apis.pop(host, None)
        if cluster := self._clusters.pop(host, None):
            cluster.store.drop()
        self._state.table(_TABLE).pop(host, None)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answers one request; the Host header says which cluster is meant."""
        host = request.host.partition(":")[0].lower()
        api = self._apis.get(host)
        if api is None:
            error = ApiError(503, "ServiceUnavailable", f"there is no cluster at {host}")
            return web.json_response(error.status(), status=503)
        body = await request.read()
        answer = api.handle(request.method, request.rel_url.raw_path, request.query, request.headers, body)
        if answer.watch is not None:
            return await self._stream(request, answer, answer.watch)
        response = web.Response(status=answer.status, body=answer.body)
        response.headers["Content-Type"] = answer.content_type
        _add_headers(response, answer)
        return response

    async def _stream(self, request: web.Request, answer: Answer, watch: Watch) -> web.StreamResponse:
        response = web.StreamResponse(status=answer.status)
        response.headers["Content-Type"] = answer.content_type
        _add_headers(response, answer)
        task = asyncio.current_task()
        if task is not None:
            self._streams.add(task)
        try:
            await response.prepare(request)
            async for line in watch.events():
                await response.write(line)
            await response.write_eof()
        except (ConnectionResetError, asyncio.CancelledError):
            # The client left, or the sandbox stops.
            pass
        finally:
            if task is not None:
                self._streams.discard(task)
        return response

    async def start(self) -> None:
        """Lets the controllers look at every cluster that was found in the state."""
        for cluster in self._clusters.values():
            cluster.settle()

    async def stop(self) -> None:
        """Ends the open watches."""
        for task in list(self._streams):
            task.cancel()
        self._streams.clear()


def _add_headers(response: web.StreamResponse, answer: Answer) -> None:
    response.headers["Cache-Control"] = "no-cache, private"
    for text in answer.warnings:
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        response.headers.add("Warning", f'299 - "{quoted}"')
