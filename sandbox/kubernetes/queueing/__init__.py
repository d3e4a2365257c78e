"""How Kueue shares quota: the arithmetic of queues and cohorts, flavors and preemption, without any I/O."""
