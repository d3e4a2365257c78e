resource "azurerm_kubernetes_cluster" "ai" {
  name                = "aks-ai-${var.environment}"
  location            = azurerm_resource_group.ai.location
  resource_group_name = azurerm_resource_group.ai.name
  dns_prefix          = "aks-ai-${var.environment}"
  kubernetes_version  = var.kubernetes_version
  sku_tier            = var.environment == "prod" ? "Standard" : "Free"
  tags                = var.tags

  # People and flows sign in with Entra ID and Azure role assignments; there is no shared admin certificate.
  local_account_disabled    = true
  oidc_issuer_enabled       = true
  workload_identity_enabled = true

  azure_active_directory_role_based_access_control {
    azure_rbac_enabled = true
  }

  default_node_pool {
    name            = "system"
    vm_size         = "Standard_D4s_v5"
    node_count      = var.system_node_count
    os_disk_size_gb = 128
    vnet_subnet_id  = azurerm_subnet.aks.id

    # A change of size, disk or subnet rotates the pool through this one.
    temporary_name_for_rotation = "systemtmp"

    upgrade_settings {
      max_surge = "33%"
    }
  }

  identity {
    type = "SystemAssigned"
  }

  network_profile {
    network_plugin = "azure"
    network_policy = "calico"
  }

  node_provisioning_profile {
    mode = "Manual"
  }
}

resource "azurerm_kubernetes_cluster_node_pool" "gpu" {
  name                  = "gpu"
  kubernetes_cluster_id = azurerm_kubernetes_cluster.ai.id
  vm_size               = var.gpu_vm_size
  mode                  = "User"
  os_disk_size_gb       = 256
  vnet_subnet_id        = azurerm_subnet.aks.id
  auto_scaling_enabled  = true
  min_count             = var.gpu_min_nodes
  max_count             = var.gpu_max_nodes
  gpu_driver            = "Install"
  tags                  = var.tags

  # A change of size, disk or subnet rotates the pool through this one: twice the GPU quota meanwhile.
  temporary_name_for_rotation = "gputmp"

  # Without the taint, monitoring and log collectors fill the most expensive nodes of the cluster.
  node_taints = [
    "sku=gpu:NoSchedule",
  ]

  node_labels = {
    "hardware" = "gpu"
    "gpu-type" = "nvidia"
    "workload" = "ai"
  }

  lifecycle {
    # The autoscaler's business.
    ignore_changes = [node_count]

    # The warm nodes are meant for development; in production an idle A100 is a decision of its own.
    precondition {
      condition     = var.environment == "dev" || var.gpu_min_nodes == 0
      error_message = "Outside dev the GPU pool must be able to scale to zero: gpu_min_nodes must be 0."
    }
  }
}
