# Required, sorted by name.

variable "environment" {
  description = "Environment this configuration is for; part of every resource name."
  type        = string
  nullable    = false

  validation {
    condition     = contains(["dev", "staging", "prod"], var.environment)
    error_message = "environment must be one of dev, staging, prod."
  }
}

variable "gpu_max_nodes" {
  description = "Most nodes that the autoscaler may give the GPU pool: what one mistake can cost per hour."
  type        = number
  nullable    = false

  validation {
    condition     = var.gpu_max_nodes >= 1 && var.gpu_max_nodes <= 1000 && floor(var.gpu_max_nodes) == var.gpu_max_nodes
    error_message = "gpu_max_nodes must be a whole number from 1 to 1000."
  }
}

variable "gpu_vm_size" {
  description = "VM SKU of the GPU node pool."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^Standard_N", var.gpu_vm_size))
    error_message = "GPU VM size must be an N-series SKU (e.g., Standard_NC6s_v3, Standard_NC24ads_A100_v4)."
  }

  validation {
    condition     = !can(regex("^Standard_NP", var.gpu_vm_size))
    error_message = "GPU VM size must not be an NP-series SKU: those carry FPGAs, not GPUs."
  }
}

variable "location" {
  description = "Azure region, by its short name."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9]+$", var.location))
    error_message = "location must be a region's short name in lower case without spaces (e.g., eastus2)."
  }
}

variable "tags" {
  description = "Tags of every resource; a GPU without a cost center is nobody's bill."
  type        = map(string)
  nullable    = false

  validation {
    condition     = contains(keys(var.tags), "cost-center") && try(length(var.tags["cost-center"]) > 0, false)
    error_message = "tags must hold a non-empty cost-center."
  }

  validation {
    condition     = try(var.tags["environment"] == var.environment, false)
    error_message = "tags must hold environment, with the value of the variable environment."
  }

  validation {
    condition     = try(length(var.tags["managed-by"]) > 0, false)
    error_message = "tags must hold a non-empty managed-by."
  }
}

# Optional, sorted by name.

variable "aks_subnet_prefix" {
  description = "Address range of the nodes' subnet; must lie inside vnet_address_space."
  type        = string
  default     = "10.40.0.0/20"
  nullable    = false

  validation {
    condition     = can(cidrhost(var.aks_subnet_prefix, 0))
    error_message = "aks_subnet_prefix must be an IPv4 range in CIDR notation (e.g., 10.40.0.0/20)."
  }
}

variable "gpu_min_nodes" {
  description = "Fewest nodes of the GPU pool; 0 costs nothing while nobody trains, 1 keeps a warm node."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.gpu_min_nodes >= 0 && floor(var.gpu_min_nodes) == var.gpu_min_nodes
    error_message = "gpu_min_nodes must be a whole number, 0 or more."
  }

  validation {
    condition     = var.gpu_min_nodes <= var.gpu_max_nodes
    error_message = "gpu_min_nodes must not be greater than gpu_max_nodes."
  }
}

variable "gpu_workbench" {
  description = "A single GPU virtual machine for interactive work, or null for none. `size`: N-series SKU; `ssh_public_key`: key of the user `admin_username`."
  type = object({
    size           = string
    ssh_public_key = string
    admin_username = optional(string, "azureuser")
  })
  default = null

  validation {
    condition     = var.gpu_workbench == null || can(regex("^Standard_N", var.gpu_workbench.size))
    error_message = "gpu_workbench.size must be an N-series SKU (e.g., Standard_NC4as_T4_v3)."
  }

  validation {
    condition     = var.gpu_workbench == null || !can(regex("^Standard_NP", var.gpu_workbench.size))
    error_message = "gpu_workbench.size must not be an NP-series SKU: those carry FPGAs, not GPUs."
  }

  # The NVIDIA driver extension is not made for these; such machines start from an HPC image.
  validation {
    condition     = var.gpu_workbench == null || !can(regex("^Standard_(ND|NC.*H100|NC.*H200)", var.gpu_workbench.size))
    error_message = "gpu_workbench.size must not be an ND, H100 or H200 SKU: the NVIDIA driver extension does not support them."
  }

  validation {
    condition     = var.gpu_workbench == null || can(regex("^ssh-rsa [A-Za-z0-9+/]+=*( |$)", var.gpu_workbench.ssh_public_key)) || can(regex("^ssh-ed25519 [A-Za-z0-9+/]+=*( |$)", var.gpu_workbench.ssh_public_key))
    error_message = "gpu_workbench.ssh_public_key must be an OpenSSH public key of type ssh-rsa or ssh-ed25519."
  }
}

variable "kubernetes_version" {
  description = "Kubernetes minor version of the cluster, or null for the newest default of AKS."
  type        = string
  default     = "1.33"

  validation {
    condition     = var.kubernetes_version == null || can(regex("^1\\.[0-9]+(\\.[0-9]+)?$", var.kubernetes_version))
    error_message = "kubernetes_version must be like 1.33 or 1.33.4."
  }
}

variable "system_node_count" {
  description = "Nodes of the system pool, which carries no GPU work."
  type        = number
  default     = 2
  nullable    = false

  validation {
    condition     = var.system_node_count >= 1 && floor(var.system_node_count) == var.system_node_count
    error_message = "system_node_count must be a whole number, 1 or more."
  }
}

variable "vnet_address_space" {
  description = "Address range of the virtual network; must not meet the cluster's service range 10.0.0.0/16."
  type        = string
  default     = "10.40.0.0/16"
  nullable    = false

  validation {
    condition     = can(cidrhost(var.vnet_address_space, 0))
    error_message = "vnet_address_space must be an IPv4 range in CIDR notation (e.g., 10.40.0.0/16)."
  }

  validation {
    condition     = !startswith(var.vnet_address_space, "10.0.")
    error_message = "vnet_address_space must not start with 10.0: the cluster's service range 10.0.0.0/16 is there."
  }
}

variable "workbench_subnet_prefix" {
  description = "Address range of the workbench's subnet; must lie inside vnet_address_space."
  type        = string
  default     = "10.40.16.0/24"
  nullable    = false

  validation {
    condition     = can(cidrhost(var.workbench_subnet_prefix, 0))
    error_message = "workbench_subnet_prefix must be an IPv4 range in CIDR notation (e.g., 10.40.16.0/24)."
  }
}
