environment   = "dev"
location      = "eastus2"
gpu_vm_size   = "Standard_NC4as_T4_v3"
gpu_min_nodes = 1 # a warm node, so that development jobs start at once
gpu_max_nodes = 3

gpu_workbench = {
  size = "Standard_NC4as_T4_v3"
  # Nobody holds the private half of this key: put your team's own public key here.
  ssh_public_key = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCFNZ4TALClJM/xZinyZZp4X9w2l6cY0kAjhCGQG5VhSQbl5OZMyajLkhnupKo2Ax63jozqdNqdI8gGj+4a/Zsp3CQGT1c+y98/XnP4AidJmnw5MCTsG0Act0KFG2MrPY2qk1CWIgQe7IpxHAQvhg9G2S4OtGXa7FXru4Ek2QTQ0EWFYcyvFgpfgvwYJ4wK6I6gZjWkEl9VZAfgG70bl6w/fUFCK/7Q29g4IOi/MHRU7AcyylPRL4n2U8BT7F43voWFqMBo3Sqw311DmCrWxfN3YjH8bdOqU0QoieIBPe78nS89ICsEgojP+A7Lt+IgTXeNU657xYOv+xZkZ/oImsff throwaway"
}

tags = {
  "cost-center" = "ai-platform"
  "environment" = "dev"
  "managed-by"  = "terraform"
}
