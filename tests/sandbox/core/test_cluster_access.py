"""What a bearer token makes its holder in a cluster."""

from __future__ import annotations

from sandbox.cluster_access import AKS_SERVER, ClusterAccess
from sandbox.entra.tokens import Principal, Tokens
from sandbox.identity import identity_of
from sandbox.kubernetes.clusters import User
from sandbox.state import State
from tests.sandbox.core.conftest import Rights

HOST = "aks-dev-1a2b3c4d.hcp.eastus2.azmk8s.io"
ADMIN = User("masterclient", ("system:masters",))


class ClusterRights(Rights):
    """Lets the holder of a token into one cluster."""

    def kubernetes_groups(self, principal: Principal, cluster_host: str) -> tuple[str, ...] | None:
        return (*principal.groups, "system:authenticated") if cluster_host == HOST else None


def local_account(host: str, token: str) -> User | None:
    return ADMIN if (host, token) == (HOST, "local") else None


def test_local_accounts_entra_tokens_and_strangers() -> None:
    state = State()
    identity = identity_of(state)
    tokens = Tokens(state, identity)
    access = ClusterAccess(tokens)
    token = tokens.issue(identity.client_id, f"{AKS_SERVER}/.default")
    assert access.authenticate(HOST, token) is None, "nobody has been asked yet"
    access.ask(ClusterRights(), local_account)

    assert access.authenticate(HOST, "local") == ADMIN
    assert access.authenticate("other.azmk8s.io", "local") is None
    assert access.authenticate(HOST, token) == User(
        identity.object_id, ("system:authenticated",), identity.object_id
    )
    assert access.authenticate("other.azmk8s.io", token) is None
    assert access.authenticate(HOST, "not a token") is None
    for_management = tokens.issue(identity.client_id, "https://management.azure.com/.default")
    assert access.authenticate(HOST, for_management) is None
    state.close()
