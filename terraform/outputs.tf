output "cluster_id" {
  description = "Resource id of the AKS cluster."
  value       = azurerm_kubernetes_cluster.ai.id
}

output "cluster_name" {
  description = "Name of the AKS cluster."
  value       = azurerm_kubernetes_cluster.ai.name
}

output "gpu_pools" {
  description = "GPU node pools by name: SKU, fewest and most nodes."
  value = {
    (azurerm_kubernetes_cluster_node_pool.gpu.name) = {
      vm_size   = azurerm_kubernetes_cluster_node_pool.gpu.vm_size
      min_nodes = azurerm_kubernetes_cluster_node_pool.gpu.min_count
      max_nodes = azurerm_kubernetes_cluster_node_pool.gpu.max_count
    }
  }
}

output "location" {
  description = "Azure region of the platform."
  value       = azurerm_resource_group.ai.location
}

output "resource_group_name" {
  description = "Resource group that holds the platform."
  value       = azurerm_resource_group.ai.name
}

output "workbench_vm_ids" {
  description = "Resource ids of the GPU workbench machines; empty where there is none."
  value       = azurerm_linux_virtual_machine.workbench[*].id
}
