"""The rules of each kind, by group and kind."""

from __future__ import annotations

from sandbox.kubernetes.kinds import (
    core,
    events,
    kueue,
    network,
    pods,
    policies,
    quota,
    rbac,
    scheduling,
    volcano,
    workloads,
)
from sandbox.kubernetes.kinds.rules import KindRules
from sandbox.kubernetes.resources import Resource

__all__ = ["rules_of"]

_RBAC = "rbac.authorization.k8s.io"
_DEFAULT = KindRules()
_COUNTED = KindRules(generation=True)
_CUSTOM = KindRules(generation=True)
_RULES: dict[tuple[str, str], KindRules] = {
    ("", "Namespace"): core.NAMESPACE,
    ("", "ConfigMap"): core.CONFIG_MAP,
    ("", "Secret"): core.SECRET,
    ("", "Service"): core.SERVICE,
    ("", "PersistentVolumeClaim"): core.CLAIM,
    ("", "ResourceQuota"): quota.RESOURCE_QUOTA,
    ("", "LimitRange"): quota.LIMIT_RANGE,
    ("", "Pod"): pods.POD,
    ("", "Node"): pods.NODE,
    ("", "Event"): events.CORE_EVENT,
    ("events.k8s.io", "Event"): events.EVENT,
    (_RBAC, "Role"): rbac.ROLE,
    (_RBAC, "ClusterRole"): rbac.CLUSTER_ROLE,
    (_RBAC, "RoleBinding"): rbac.BINDING,
    (_RBAC, "ClusterRoleBinding"): rbac.CLUSTER_BINDING,
    ("networking.k8s.io", "NetworkPolicy"): network.NETWORK_POLICY,
    ("scheduling.k8s.io", "PriorityClass"): scheduling.PRIORITY_CLASS,
    ("apps", "Deployment"): workloads.DEPLOYMENT,
    ("apps", "ReplicaSet"): workloads.REPLICA_SET,
    ("apps", "StatefulSet"): workloads.STATEFUL_SET,
    ("apps", "DaemonSet"): workloads.DAEMON_SET,
    ("batch", "Job"): workloads.JOB,
    ("batch", "CronJob"): workloads.CRON_JOB,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): policies.POLICY,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"): policies.BINDING,
    ("policy", "PodDisruptionBudget"): _COUNTED,
    ("networking.k8s.io", "Ingress"): _COUNTED,
    **kueue.RULES,
    **volcano.RULES,
}


def rules_of(resource: Resource) -> KindRules:
    return _RULES.get((resource.group, resource.kind), _CUSTOM if resource.custom else _DEFAULT)
