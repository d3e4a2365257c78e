# Whoever applies this configuration also onboards tenants, which takes rights inside the cluster:
# owning the subscription gives none.
resource "azurerm_role_assignment" "deployer_cluster_admin" {
  scope                = azurerm_kubernetes_cluster.ai.id
  role_definition_name = "Azure Kubernetes Service RBAC Cluster Admin"
  principal_id         = data.azurerm_client_config.current.object_id
}

# With a subnet of ours and a system-assigned identity, AKS may not attach load balancers there by itself.
resource "azurerm_role_assignment" "cluster_network" {
  scope                = azurerm_subnet.aks.id
  role_definition_name = "Network Contributor"
  principal_id         = azurerm_kubernetes_cluster.ai.identity[0].principal_id
}
