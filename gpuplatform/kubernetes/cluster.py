"""A cluster's API, opened with our own identity: no kubeconfig file, no kubelogin process."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuplatform.azure.errors import azure_errors
from gpuplatform.errors import NotFound
from gpuplatform.kubernetes.client import EntraTokens, api_client
from gpuplatform.kubernetes.kubeconfig import parse_kubeconfig

if TYPE_CHECKING:
    from kubernetes.client import ApiClient, CoreV1Api, VersionApi
    from kubernetes.dynamic import DynamicClient

    from gpuplatform.azure.clients import AzureClients

__all__ = ["Cluster", "open_cluster"]


@dataclass(frozen=True)
class Cluster:
    """The clients of one cluster. They share one connection pool and may be used by several threads.

    Every request has `Settings.kubernetes_timeout_seconds` unless the call gives its own
    `_request_timeout`. Calls raise the client's own exceptions: wrap them in `kubernetes_errors`.
    """

    name: str
    server: str
    api: ApiClient
    directory: Path
    """A private folder that is removed with the connection."""

    @cached_property
    def core(self) -> CoreV1Api:
        from kubernetes.client import CoreV1Api  # noqa: PLC0415 - the SDK takes a second to import

        return CoreV1Api(self.api)

    @cached_property
    def version(self) -> VersionApi:
        from kubernetes.client import VersionApi  # noqa: PLC0415 - the SDK takes a second to import

        return VersionApi(self.api)

    @cached_property
    def dynamic(self) -> DynamicClient:
        """The client for any kind, server-side apply included. Making it reads /version and /apis.

        Its discovery cache would be a world-readable file keyed by host; here it is private to the run.
        """
        from kubernetes.dynamic import DynamicClient  # noqa: PLC0415 - the SDK takes a second to import

        cache = str(self.directory / "discovery.json")
        return DynamicClient(self.api, cache_file=cache)  # type: ignore[no-untyped-call] # the SDK's

    def resource(self, api_version: str, kind: str) -> Any:
        """The dynamic resource of a kind, such as `("networking.k8s.io/v1", "NetworkPolicy")`.

        The prefix makes this one GET; without it the client walks every API group.
        """
        prefix = "apis" if "/" in api_version else "api"
        return self.dynamic.resources.get(prefix=prefix, api_version=api_version, kind=kind)


@contextmanager
def open_cluster(clients: AzureClients, resource_group: str, cluster_name: str) -> Iterator[Cluster]:
    """Open a managed cluster's API as the identity of `clients`.

    The address and the CA come from Azure's user kubeconfig. Where that signs in through Entra ID, the
    access token is ours and is renewed before it expires; a token or client certificate in the
    kubeconfig (clusters with local accounts) is used as it is.

    Raises:
        NotFound: there is no such cluster, or Azure answered no kubeconfig.
        Refused: this identity may not read the cluster's user credentials.
        Retryable: Azure did not answer.
    """
    activity = f"reading the credentials of cluster {cluster_name} in {resource_group}"
    with azure_errors(activity):
        answer = clients.containers.managed_clusters.list_cluster_user_credentials(
            resource_group, cluster_name, format="exec"
        )
    configs = [config.value for config in answer.kubeconfigs or [] if config.value]
    if not configs:
        raise NotFound(f"{activity}: Azure answered no kubeconfig")
    access = parse_kubeconfig(bytes(configs[0]))
    renew = EntraTokens(clients.credential).get if access.entra else None
    with tempfile.TemporaryDirectory(prefix="gpuplatform-cluster-") as folder:  # mode 0700
        directory = Path(folder)
        api = api_client(access, directory, clients.settings.kubernetes_timeout_seconds, renew)
        try:
            yield Cluster(cluster_name, access.server, api, directory)
        finally:
            api.close()  # type: ignore[no-untyped-call] # the SDK's, without annotations
            api.rest_client.close()
