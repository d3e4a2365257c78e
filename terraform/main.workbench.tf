locals {
  workbench_count = var.gpu_workbench == null ? 0 : 1
}

resource "azurerm_network_interface" "workbench" {
  count = local.workbench_count

  name                = "nic-gpu-workbench-${var.environment}"
  location            = azurerm_resource_group.ai.location
  resource_group_name = azurerm_resource_group.ai.name
  tags                = var.tags

  ip_configuration {
    name                          = "internal"
    subnet_id                     = azurerm_subnet.workbench.id
    private_ip_address_allocation = "Dynamic"
  }

  # Not before the subnet is guarded.
  depends_on = [azurerm_subnet_network_security_group_association.workbench]
}

resource "azurerm_linux_virtual_machine" "workbench" {
  count = local.workbench_count

  name                  = "vm-gpu-workbench-${var.environment}"
  location              = azurerm_resource_group.ai.location
  resource_group_name   = azurerm_resource_group.ai.name
  size                  = var.gpu_workbench.size
  admin_username        = var.gpu_workbench.admin_username
  network_interface_ids = [azurerm_network_interface.workbench[0].id]
  tags                  = var.tags

  # The driver extension installs an unsigned kernel module.
  secure_boot_enabled = false

  admin_ssh_key {
    username   = var.gpu_workbench.admin_username
    public_key = var.gpu_workbench.ssh_public_key
  }

  os_disk {
    caching              = "ReadWrite"
    storage_account_type = "Premium_LRS"
    disk_size_gb         = 256
  }

  source_image_reference {
    publisher = "Canonical"
    offer     = "0001-com-ubuntu-server-jammy"
    sku       = "22_04-lts-gen2"
    version   = "latest"
  }

  identity {
    type = "SystemAssigned"
  }
}

resource "azurerm_virtual_machine_extension" "nvidia" {
  count = local.workbench_count

  name                       = "NvidiaGpuDriverLinux"
  virtual_machine_id         = azurerm_linux_virtual_machine.workbench[0].id
  publisher                  = "Microsoft.HpcCompute"
  type                       = "NvidiaGpuDriverLinux"
  type_handler_version       = "1.11"
  auto_upgrade_minor_version = true
  tags                       = var.tags
}
