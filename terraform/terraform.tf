terraform {
  # 1.11.2 is the first release whose azurerm backend needs no call to Azure Resource Manager
  # when it signs in to the state container with Entra ID.
  required_version = ">= 1.11.2"

  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = "~> 5.2"
    }
  }

  # Account, container, key and `use_azuread_auth=true` come with -backend-config at init, so that
  # no environment's state can be taken for another's.
  backend "azurerm" {}
}
