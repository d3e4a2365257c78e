resource "azurerm_virtual_network" "ai" {
  name                = "vnet-ai-${var.environment}"
  location            = azurerm_resource_group.ai.location
  resource_group_name = azurerm_resource_group.ai.name
  address_space       = [var.vnet_address_space]
  tags                = var.tags
}

resource "azurerm_subnet" "aks" {
  name                 = "snet-aks"
  resource_group_name  = azurerm_resource_group.ai.name
  virtual_network_name = azurerm_virtual_network.ai.name
  address_prefixes     = [var.aks_subnet_prefix]
}

resource "azurerm_subnet" "workbench" {
  name                 = "snet-workbench"
  resource_group_name  = azurerm_resource_group.ai.name
  virtual_network_name = azurerm_virtual_network.ai.name
  address_prefixes     = [var.workbench_subnet_prefix]

  lifecycle {
    precondition {
      condition     = var.workbench_subnet_prefix != var.aks_subnet_prefix
      error_message = "workbench_subnet_prefix and aks_subnet_prefix must be different ranges."
    }
  }
}

# The workbench has no public address: SSH is for the virtual network and what is peered with it.
resource "azurerm_network_security_group" "workbench" {
  name                = "nsg-workbench-${var.environment}"
  location            = azurerm_resource_group.ai.location
  resource_group_name = azurerm_resource_group.ai.name
  tags                = var.tags

  security_rule {
    name                       = "allow-ssh-from-virtual-network"
    priority                   = 100
    direction                  = "Inbound"
    access                     = "Allow"
    protocol                   = "Tcp"
    source_port_range          = "*"
    destination_port_range     = "22"
    source_address_prefix      = "VirtualNetwork"
    destination_address_prefix = "*"
  }
}

resource "azurerm_subnet_network_security_group_association" "workbench" {
  subnet_id                 = azurerm_subnet.workbench.id
  network_security_group_id = azurerm_network_security_group.workbench.id
}
