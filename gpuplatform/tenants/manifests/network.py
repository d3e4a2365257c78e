"""What the pods of a tenant may talk to."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from gpuplatform.tenants.request import Isolation, TenantRequest

__all__ = ["network_policies"]

_NAMESPACE_NAME = "kubernetes.io/metadata.name"
"""The label with its own name that every namespace has."""


def network_policies(request: TenantRequest) -> list[dict[str, Any]]:
    """Nothing in or out, then what is allowed. Policies add up, so each allowance is one of its own.

    They need a policy engine in the cluster (`networkProfile.networkPolicy`); without one they are
    accepted and do nothing.
    """
    policies = [
        _policy(request, "default-deny", {"policyTypes": ["Ingress", "Egress"]}),
        _policy(request, "allow-dns", _dns()),
    ]
    if request.isolation is Isolation.SAME_NAMESPACE:
        everyone_here: list[dict[str, Any]] = [{"podSelector": {}}]
        policies.append(
            _policy(
                request,
                "allow-same-namespace",
                {
                    "policyTypes": ["Ingress", "Egress"],
                    "ingress": [{"from": everyone_here}],
                    "egress": [{"to": everyone_here}],
                },
            )
        )
    if request.shared_services:
        policies.append(_policy(request, "allow-shared-services", _shared(request)))
    return policies


def _dns() -> dict[str, Any]:
    """A denied egress denies names, too; answers that are too long for UDP come over TCP."""
    resolver = {
        "namespaceSelector": {"matchLabels": {_NAMESPACE_NAME: "kube-system"}},
        "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
    }
    ports = [{"protocol": protocol, "port": 53} for protocol in ("UDP", "TCP")]
    return {"policyTypes": ["Egress"], "egress": [{"to": [resolver], "ports": ports}]}


def _shared(request: TenantRequest) -> dict[str, Any]:
    ports: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for service in request.shared_services:
        ports[service.namespace].append({"protocol": service.protocol.value, "port": service.port})
    return {
        "policyTypes": ["Egress"],
        "egress": [
            {"to": [{"namespaceSelector": {"matchLabels": {_NAMESPACE_NAME: name}}}], "ports": ports[name]}
            for name in sorted(ports)
        ],
    }


def _policy(request: TenantRequest, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name, "namespace": request.namespace, "labels": request.labels},
        "spec": {"podSelector": {}, **spec},
    }
