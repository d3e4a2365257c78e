data "azurerm_client_config" "current" {}

resource "azurerm_resource_group" "ai" {
  name     = "rg-ai-${var.environment}"
  location = var.location
  tags     = var.tags
}
