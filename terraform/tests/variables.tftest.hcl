# The rules of the variables, each with its own message. Nothing is created and no credentials are needed.

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

run "unknown_environment" {
  command = plan

  variables {
    environment = "qa"
    tags = {
      "cost-center" = "ai-platform"
      "environment" = "qa"
      "managed-by"  = "terraform"
    }
  }

  expect_failures = [var.environment]
}

run "cpu_sku_in_the_gpu_pool" {
  command = plan

  variables {
    gpu_vm_size = "Standard_D16s_v5"
  }

  expect_failures = [var.gpu_vm_size]
}

run "fpga_sku_in_the_gpu_pool" {
  command = plan

  variables {
    gpu_vm_size = "Standard_NP10s"
  }

  expect_failures = [var.gpu_vm_size]
}

run "minimum_above_maximum" {
  command = plan

  variables {
    gpu_min_nodes = 4
  }

  expect_failures = [var.gpu_min_nodes]
}

run "half_a_node" {
  command = plan

  variables {
    gpu_max_nodes = 1.5
  }

  expect_failures = [var.gpu_max_nodes]
}

run "display_name_for_a_region" {
  command = plan

  variables {
    location = "East US 2"
  }

  expect_failures = [var.location]
}

run "no_cost_center" {
  command = plan

  variables {
    tags = {
      "environment" = "dev"
      "managed-by"  = "terraform"
    }
  }

  expect_failures = [var.tags]
}

run "tags_of_another_environment" {
  command = plan

  variables {
    tags = {
      "cost-center" = "ai-platform"
      "environment" = "prod"
      "managed-by"  = "terraform"
    }
  }

  expect_failures = [var.tags]
}

run "cpu_sku_for_the_workbench" {
  command = plan

  variables {
    gpu_workbench = {
      size           = "Standard_D4s_v5"
      ssh_public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAA"
    }
  }

  expect_failures = [var.gpu_workbench]
}

run "workbench_sku_without_driver_extension" {
  command = plan

  variables {
    gpu_workbench = {
      size           = "Standard_NC40ads_H100_v5"
      ssh_public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAA"
    }
  }

  expect_failures = [var.gpu_workbench]
}

run "a_private_key_for_the_workbench" {
  command = plan

  variables {
    gpu_workbench = {
      size           = "Standard_NC4as_T4_v3"
      ssh_public_key = "-----BEGIN OPENSSH PRIVATE KEY-----"
    }
  }

  expect_failures = [var.gpu_workbench]
}

run "network_over_the_service_range" {
  command = plan

  variables {
    vnet_address_space = "10.0.0.0/16"
  }

  expect_failures = [var.vnet_address_space]
}
