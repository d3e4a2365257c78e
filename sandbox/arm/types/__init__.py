"""Everything the sandbox's ARM knows, by type and by route."""

from __future__ import annotations

from sandbox.arm.resource import ResourceType
from sandbox.arm.routes import Route
from sandbox.arm.types import (
    agent_pools,
    capacity_reservations,
    disks,
    identities,
    kubernetes_versions,
    locks,
    managed_clusters,
    network_interfaces,
    operations,
    providers,
    public_ips,
    resource_groups,
    resource_lists,
    role_assignments,
    role_definitions,
    security_groups,
    skus,
    storage_accounts,
    storage_containers,
    storage_services,
    subscriptions,
    upgrade_profiles,
    usages,
    virtual_machines,
    virtual_networks,
    vm_extensions,
    workspaces,
)

__all__ = ["all_routes", "all_types"]


def all_types() -> list[ResourceType]:
    return [
        resource_groups.ResourceGroups(),
        locks.Locks(),
        role_assignments.RoleAssignments(),
        virtual_networks.VirtualNetworks(),
        virtual_networks.Subnets(),
        security_groups.SecurityGroups(),
        security_groups.SecurityRules(),
        network_interfaces.NetworkInterfaces(),
        public_ips.PublicIpAddresses(),
        disks.Disks(),
        virtual_machines.VirtualMachines(),
        vm_extensions.VmExtensions(),
        capacity_reservations.CapacityReservationGroups(),
        capacity_reservations.CapacityReservations(),
        storage_accounts.StorageAccounts(),
        storage_services.BlobServices(),
        storage_services.FileServices(),
        storage_services.ManagementPolicies(),
        storage_containers.Containers(),
        managed_clusters.ManagedClusters(),
        managed_clusters.MaintenanceConfigurations(),
        agent_pools.AgentPools(),
        upgrade_profiles.ClusterUpgradeProfiles(),
        upgrade_profiles.PoolUpgradeProfiles(),
        identities.UserAssignedIdentities(),
        workspaces.Workspaces(),
    ]


def all_routes() -> list[Route]:
    return [
        *subscriptions.ROUTES,
        *providers.ROUTES,
        *resource_groups.ROUTES,
        *resource_lists.ROUTES,
        *operations.ROUTES,
        *role_definitions.ROUTES,
        *usages.ROUTES,
        *skus.ROUTES,
        *storage_accounts.ROUTES,
        *kubernetes_versions.ROUTES,
        *workspaces.ROUTES,
    ]
