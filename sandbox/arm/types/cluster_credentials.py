"""`listClusterUserCredential` and `listClusterAdminCredential`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.errors import ArmError
from sandbox.arm.kubeconfig import azure_user, credential, entra_user, kubeconfig, token_user
from sandbox.arm.messages import Reply

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.resource import Call
    from sandbox.arm.store import Resource

__all__ = ["list_admin", "list_user"]


async def list_user(ctx: Context, call: Call) -> Reply:
    """Entra sign-in where the cluster has it, else the local account; `format` is exec or azure."""
    cluster = call.resource
    profile = cluster["properties"].get("aadProfile")
    if profile is None:
        if cluster["properties"].get("disableLocalAccounts"):
            raise _disabled("user")
        return _local(ctx, cluster, "clusterUser")
    tenant = profile.get("tenantID") or ctx.identity.tenant_id
    form = call.request.query.get("format", "exec").lower()
    if form not in {"exec", "azure"}:
        raise ArmError(400, "InvalidParameter", f"The format '{form}' is not valid; use azure or exec.")
    user = azure_user(tenant) if form == "azure" else entra_user(tenant, "devicecode")
    return _answer(ctx, cluster, "clusterUser", user)


async def list_admin(ctx: Context, call: Call) -> Reply:
    if call.resource["properties"].get("disableLocalAccounts"):
        raise _disabled("admin")
    return _local(ctx, call.resource, "clusterAdmin")


def _disabled(kind: str) -> ArmError:
    return ArmError(
        400,
        "BadRequest",
        "Getting static credential is not allowed because this cluster is set to disable local accounts "
        f"({kind}).",
    )


def _local(ctx: Context, cluster: Resource, name: str) -> Reply:
    token = ctx.state.table("arm.clusterTokens").get(cluster["properties"]["fqdn"])
    if token is None:
        raise ArmError(
            400, "ControlPlaneNotFound", f"The control plane of '{cluster['name']}' is not provisioned yet."
        )
    return _answer(ctx, cluster, name, token_user(str(token)))


def _answer(ctx: Context, cluster: Resource, name: str, user: dict[str, object]) -> Reply:
    group = cluster["id"].split("/")[4]
    text = kubeconfig(
        cluster["name"],
        cluster["properties"]["fqdn"],
        ctx.ca_pem,
        f"{name}_{group}_{cluster['name']}",
        user,
    )
    return Reply(200, {"kubeconfigs": [credential(name, text)]})
