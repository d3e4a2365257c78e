"""The inside of a virtual machine, as far as a Run Command script can see it."""
