"""The resource types of the stand-in, one file a type."""

from __future__ import annotations

from sandbox.terraform_provider.resources.base import Context, Resource, Values
from sandbox.terraform_provider.resources.kubernetes_cluster import KubernetesCluster
from sandbox.terraform_provider.resources.linux_virtual_machine import LinuxVirtualMachine
from sandbox.terraform_provider.resources.network_interface import NetworkInterface
from sandbox.terraform_provider.resources.network_security_group import NetworkSecurityGroup
from sandbox.terraform_provider.resources.node_pool import KubernetesClusterNodePool
from sandbox.terraform_provider.resources.resource_group import ResourceGroup
from sandbox.terraform_provider.resources.role_assignment import RoleAssignment
from sandbox.terraform_provider.resources.subnet import Subnet
from sandbox.terraform_provider.resources.subnet_nsg_association import (
    SubnetNetworkSecurityGroupAssociation,
)
from sandbox.terraform_provider.resources.virtual_machine_extension import VirtualMachineExtension
from sandbox.terraform_provider.resources.virtual_network import VirtualNetwork

__all__ = ["RESOURCES", "Context", "Resource", "Values"]

RESOURCES: dict[str, Resource] = {
    cls.type_name: cls()
    for cls in (
        KubernetesCluster,
        KubernetesClusterNodePool,
        LinuxVirtualMachine,
        NetworkInterface,
        NetworkSecurityGroup,
        ResourceGroup,
        RoleAssignment,
        Subnet,
        SubnetNetworkSecurityGroupAssociation,
        VirtualMachineExtension,
        VirtualNetwork,
    )
}
