"""What AKS fills into a cluster's profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.fill import guid

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.resource import Change

__all__ = ["fill_profiles"]


def fill_profiles(ctx: Context, change: Change) -> None:
    """Defaults of the network, identity, issuer and power profiles."""
    properties = change.properties
    properties.setdefault("enableRBAC", True)
    properties.setdefault("supportPlan", "KubernetesOfficial")
    properties.setdefault("maxAgentPools", 100)
    properties["powerState"] = change.old_properties.get("powerState", {"code": "Running"})
    properties.setdefault("servicePrincipalProfile", {"clientId": "msi"})
    _network(change)
    _kubelet_identity(change)
    entra = properties.get("aadProfile")
    if isinstance(entra, dict) and not entra.get("tenantID"):
        entra["tenantID"] = ctx.identity.tenant_id
    issuer = properties.setdefault("oidcIssuerProfile", {"enabled": False})
    if issuer.get("enabled"):
        region, tenant = change.body["location"], ctx.identity.tenant_id
        issuer["issuerURL"] = f"https://{region}.oic.prod-aks.azure.com/{tenant}/{guid(change.id, 'issuer')}/"
    storage = {name: {"enabled": True} for name in ("diskCSIDriver", "fileCSIDriver", "snapshotController")}
    properties.setdefault("storageProfile", storage)
    properties.setdefault("nodeProvisioningProfile", {"mode": "Manual", "defaultNodePools": "Auto"})


def _network(change: Change) -> None:
    network: dict[str, Any] = change.properties.setdefault("networkProfile", {})
    defaults: dict[str, Any] = {
        "networkPlugin": "azure",
        "networkDataplane": "azure",
        "loadBalancerSku": "standard",
        "serviceCidr": "10.0.0.0/16",
        "dnsServiceIP": "10.0.0.10",
        "outboundType": "loadBalancer",
        "ipFamilies": ["IPv4"],
    }
    for name, value in defaults.items():
        if network.get(name) in (None, ""):
            network[name] = value
    if network["loadBalancerSku"] == "standard" and network["outboundType"] == "loadBalancer":
        network.setdefault("loadBalancerProfile", {"managedOutboundIPs": {"count": 1}})


def _kubelet_identity(change: Change) -> None:
    properties = change.properties
    if str(change.body.get("identity", {}).get("type", "None")) == "None":
        return
    subscription, group = change.id.split("/")[2], properties["nodeResourceGroup"]
    resource_id = (
        f"/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.ManagedIdentity/"
        f"userAssignedIdentities/{change.name}-agentpool"
    )
    profile = properties.setdefault("identityProfile", {})
    profile.setdefault(
        "kubeletidentity",
        {
            "resourceId": resource_id,
            "clientId": guid(change.id, "kubelet", "client"),
            "objectId": guid(change.id, "kubelet", "object"),
        },
    )
