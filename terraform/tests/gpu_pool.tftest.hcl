# What the plan says of the GPU pool and the workbench.

mock_provider "azurerm" {}

variables {
  environment   = "dev"
  location      = "eastus2"
  gpu_vm_size   = "Standard_NC4as_T4_v3"
  gpu_min_nodes = 1
  gpu_max_nodes = 3
  tags = {
    "cost-center" = "ai-platform"
    "environment" = "dev"
    "managed-by"  = "terraform"
  }
}

run "gpu_pool" {
  command = plan

  assert {
    condition     = azurerm_kubernetes_cluster_node_pool.gpu.node_taints == tolist(["sku=gpu:NoSchedule"])
    error_message = "The GPU pool must keep everything else away."
  }

  assert {
    condition     = azurerm_kubernetes_cluster_node_pool.gpu.node_labels["gpu-type"] == "nvidia"
    error_message = "The GPU pool must carry its labels."
  }

  assert {
    condition     = azurerm_kubernetes_cluster_node_pool.gpu.gpu_driver == "Install"
    error_message = "The driver must come with the node image."
  }

  assert {
    condition     = azurerm_kubernetes_cluster.ai.local_account_disabled
    error_message = "There must be no shared admin certificate."
  }

  assert {
    condition     = length(azurerm_linux_virtual_machine.workbench) == 0
    error_message = "Without gpu_workbench there must be no machine."
  }
}

run "workbench" {
  command = plan

  variables {
    gpu_workbench = {
      size           = "Standard_NC4as_T4_v3"
      ssh_public_key = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC8 lab"
    }
  }

  assert {
    condition     = length(azurerm_linux_virtual_machine.workbench) == 1
    error_message = "With gpu_workbench there must be one machine."
  }

  assert {
    condition     = azurerm_virtual_machine_extension.nvidia[0].publisher == "Microsoft.HpcCompute"
    error_message = "The workbench must get NVIDIA's driver."
  }
}

run "a_warm_node_outside_dev" {
  command = plan

  variables {
    environment = "prod"
    tags = {
      "cost-center" = "ai-platform"
      "environment" = "prod"
      "managed-by"  = "terraform"
    }
  }

  expect_failures = [azurerm_kubernetes_cluster_node_pool.gpu]
}
