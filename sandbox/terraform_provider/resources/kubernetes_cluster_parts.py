"""The mapping of azurerm_kubernetes_cluster."""

from __future__ import annotations

from typing import Any

from sandbox.terraform_provider.mapping import Field, Nested, Part
from sandbox.terraform_provider.resources import agent_pool
from sandbox.terraform_provider.resources.common import IDENTITY, LOCATION, NAME, RESOURCE_GROUP, TAGS, ids

__all__ = ["CLUSTER", "DEFAULT_POOL", "TEMPLATE"]

# What azurerm sends in every creation, whatever is configured.
TEMPLATE: dict[str, Any] = {
    "properties": {
        "addonProfiles": {"azurepolicy": {"config": {"version": "v2"}}},
        "apiServerAccessProfile": {"enablePrivateClusterPublicFQDN": False},
        "azureMonitorProfile": {"metrics": {"enabled": False}},
        "networkProfile": {
            "advancedNetworking": {
                "enabled": False,
                "observability": {"enabled": False},
                "security": {"enabled": False},
            },
        },
        "securityProfile": {},
        "servicePrincipalProfile": {"clientId": "msi"},
    },
    "sku": {"name": "Base"},
}

_ONLY_ADDONS = "CriticalAddonsOnly=true:NoSchedule"


def _not(value: bool) -> bool:
    return not value


DEFAULT_POOL = Nested(
    "default_node_pool",
    "",
    (
        *agent_pool.SHARED,
        Field("name", "name", force_new=True),
        Field("type", "type", default="VirtualMachineScaleSets", force_new=True),
        Field(
            "only_critical_addons_enabled",
            "nodeTaints",
            write=lambda wanted: [_ONLY_ADDONS] if wanted else None,
            read=lambda taints: _ONLY_ADDONS in taints,
            rotates=True,
        ),
        agent_pool.upgrade_settings(),
    ),
)

_ENTRA = Nested(
    "azure_active_directory_role_based_access_control",
    "properties.aadProfile",
    (
        Field("admin_group_object_ids", "adminGroupObjectIDs", empty=[]),
        Field("azure_rbac_enabled", "enableAzureRBAC", empty=False),
        Field("tenant_id", "tenantID", empty=""),
        Field("(managed)", "managed", empty=True),  # no attribute: azurerm always sends it
    ),
)

_LOAD_BALANCER = Nested(
    "load_balancer_profile",
    "loadBalancerProfile",
    (
        Field("backend_pool_type", "backendPoolType"),
        Field("effective_outbound_ips", "effectiveOutboundIPs", read_only=True, read=ids),
        Field("idle_timeout_in_minutes", "idleTimeoutInMinutes"),
        Field("managed_outbound_ip_count", "managedOutboundIPs.count"),
        Field("outbound_ports_allocated", "allocatedOutboundPorts"),
    ),
    computed=True,
)

_NETWORK = Nested(
    "network_profile",
    "properties.networkProfile",
    (
        Field("network_plugin", "networkPlugin", force_new=True),
        Field("network_plugin_mode", "networkPluginMode"),
        Field("network_policy", "networkPolicy"),
        Field("network_mode", "networkMode", empty="", force_new=True),
        Field("network_data_plane", "networkDataplane", default="azure"),
        Field("load_balancer_sku", "loadBalancerSku", default="standard", force_new=True),
        Field("outbound_type", "outboundType", default="loadBalancer"),
        Field("dns_service_ip", "dnsServiceIP", force_new=True),
        Field("service_cidr", "serviceCidr", force_new=True),
        Field("service_cidrs", "serviceCidrs", empty=[], force_new=True),
        Field("pod_cidr", "podCidr"),
        Field("pod_cidrs", "podCidrs", empty=[], force_new=True),
        Field("ip_versions", "ipFamilies", force_new=True),
        _LOAD_BALANCER,
    ),
    computed=True,
)

_PROVISIONING = Nested(
    "node_provisioning_profile",
    "properties.nodeProvisioningProfile",
    (
        Field("mode", "mode", default="Manual"),
        Field("default_node_pools", "defaultNodePools", default="Auto"),
    ),
)

_KUBELET_IDENTITY = Nested(
    "kubelet_identity",
    "properties.identityProfile.kubeletidentity",
    (
        Field("client_id", "clientId", read_only=True),
        Field("object_id", "objectId", read_only=True),
        Field("user_assigned_identity_id", "resourceId", read_only=True),
    ),
    computed=True,
)

CLUSTER: tuple[Part, ...] = (
    NAME,
    RESOURCE_GROUP,
    LOCATION,
    TAGS,
    Field("dns_prefix", "properties.dnsPrefix", force_new=True),
    Field("kubernetes_version", "properties.kubernetesVersion", empty=""),
    Field("sku_tier", "sku.tier", default="Free"),
    Field("support_plan", "properties.supportPlan", default="KubernetesOfficial"),
    Field(
        "automatic_upgrade_channel",
        "properties.autoUpgradeProfile.upgradeChannel",
        empty="none",
        read=lambda channel: None if channel == "none" else channel,
    ),
    Field(
        "node_os_upgrade_channel",
        "properties.autoUpgradeProfile.nodeOSUpgradeChannel",
        default="NodeImage",
    ),
    Field("local_account_disabled", "properties.disableLocalAccounts", empty=False),
    Field("oidc_issuer_enabled", "properties.oidcIssuerProfile.enabled", default=True),
    Field("workload_identity_enabled", "properties.securityProfile.workloadIdentity.enabled"),
    Field("role_based_access_control_enabled", "properties.enableRBAC", default=True, force_new=True),
    Field(
        "run_command_enabled",
        "properties.apiServerAccessProfile.disableRunCommand",
        default=True,
        write=_not,
        read=_not,
    ),
    Field(
        "private_cluster_enabled",
        "properties.apiServerAccessProfile.enablePrivateCluster",
        empty=False,
        force_new=True,
    ),
    Field("azure_policy_enabled", "properties.addonProfiles.azurepolicy.enabled", empty=False),
    Field("cost_analysis_enabled", "properties.metricsProfile.costAnalysis.enabled", empty=False),
    Field("node_resource_group", "properties.nodeResourceGroup", empty="", force_new=True),
    Field("fqdn", "properties.fqdn", read_only=True),
    Field("portal_fqdn", "properties.azurePortalFQDN", read_only=True),
    Field("current_kubernetes_version", "properties.currentKubernetesVersion", read_only=True),
    Field("oidc_issuer_url", "properties.oidcIssuerProfile.issuerURL", read_only=True),
    IDENTITY,
    _ENTRA,
    _NETWORK,
    _PROVISIONING,
    _KUBELET_IDENTITY,
)
