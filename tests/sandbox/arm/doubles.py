"""The sandbox's other parts, as small as ARM needs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandbox.entra.tokens import Principal, TokenError
from sandbox.identity import Identity
from sandbox.kubernetes.clusters import NodeSpec

IDENTITY = Identity(client_secret="secret")
ARM_AUDIENCE = "https://management.azure.com/"


def principal(object_id: str, *groups: str, audience: str = ARM_AUDIENCE) -> Principal:
    return Principal(
        IDENTITY.tenant_id, object_id, "client-" + object_id[:4], audience, groups, "ServicePrincipal"
    )


OWNER = principal(IDENTITY.object_id)
STRANGER = principal("00000000-0000-0000-0000-00000000abcd")


class FakeTokens:
    """A token is a name: `owner`, `stranger`, `blob` (wrong audience)."""

    def verify(self, token: str) -> Principal:
        known = {
            "owner": OWNER,
            "stranger": STRANGER,
            "blob": principal(IDENTITY.object_id, audience="https://storage.azure.com/"),
        }
        if token not in known:
            raise TokenError("signature verification failed")
        return known[token]


class FakeAccounts:
    def __init__(self) -> None:
        self.containers: dict[str, set[str]] = {}

    async def ensure(self, name: str) -> None:
        self.containers.setdefault(name, set())

    async def remove(self, name: str) -> None:
        self.containers.pop(name, None)

    async def create_container(self, account: str, container: str) -> bool:
        existed = container in self.containers[account]
        self.containers[account].add(container)
        return not existed

    async def delete_container(self, account: str, container: str) -> bool:
        existed = container in self.containers[account]
        self.containers[account].discard(container)
        return existed

    async def list_containers(self, account: str) -> list[str]:
        return sorted(self.containers[account])

    def keys(self, name: str) -> tuple[str, str]:
        return (f"{name}-1", f"{name}-2")


class FakeClusters:
    def __init__(self) -> None:
        self.nodes: dict[str, list[NodeSpec]] = {}
        self.versions: dict[str, str] = {}

    def create(self, host: str, *, kubernetes_version: str, addons: frozenset[str] = frozenset()) -> None:
        del addons
        self.nodes.setdefault(host, [])
        self.versions[host] = kubernetes_version

    def set_nodes(self, host: str, nodes: Sequence[NodeSpec]) -> None:
        self.nodes[host] = list(nodes)

    def delete(self, host: str) -> None:
        del self.nodes[host]


def network_body(**properties: Any) -> dict[str, Any]:
    return {
        "location": "eastus",
        "properties": {"addressSpace": {"addressPrefixes": ["10.10.0.0/16"]}, **properties},
    }
