environment   = "prod"
location      = "eastus2"
gpu_vm_size   = "Standard_NC48ads_A100_v4"
gpu_min_nodes = 0
gpu_max_nodes = 8

tags = {
  "cost-center" = "ai-platform"
  "environment" = "prod"
  "managed-by"  = "terraform"
}
