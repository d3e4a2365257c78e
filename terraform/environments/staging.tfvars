environment   = "staging"
location      = "eastus2"
gpu_vm_size   = "Standard_NC24ads_A100_v4"
gpu_min_nodes = 0
gpu_max_nodes = 4

tags = {
  "cost-center" = "ai-platform"
  "environment" = "staging"
  "managed-by"  = "terraform"
}
