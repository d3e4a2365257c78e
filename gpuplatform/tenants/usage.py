"""What a team is told: what it has, how to use it, what is missing."""

from __future__ import annotations

from gpuplatform.reporting.markdown import table
from gpuplatform.tenants.manifests.queues import tolerations
from gpuplatform.tenants.names import GPU_RESOURCE
from gpuplatform.tenants.request import TenantRequest
from gpuplatform.tenants.results import Tenancy, TenantOutcome

__all__ = ["example_job", "tenant_markdown"]


def tenant_markdown(outcome: TenantOutcome, tenancy: Tenancy) -> str:
    """The report on one tenant."""
    request = outcome.request
    has = [
        ("namespace", f"`{request.namespace}` in `{tenancy.cluster_name}` ({tenancy.environment.value})"),
        ("people", f"Entra ID group `{request.group_object_id}`"),
        ("GPUs", f"{request.gpus}{f' × {request.gpu_model}' if request.gpu_model else ''}"),
        ("CPU, memory", f"{request.cpu} cores, {request.memory} (limits up to twice that)"),
        ("storage, pods", f"{request.storage}, {request.pods}"),
        ("network", _network(request, tenancy)),
        ("queue", f"`{request.queue}`" if _has_queue(tenancy) else "none"),
        ("priority class", f"`{request.default_priority_class.value}`"),
    ]
    parts = [f"## {request.namespace}", table(("What", "Value"), has)]
    if outcome.failures:
        parts += ["### Failed", _list(outcome.failures)]
    notes = [*outcome.notes, *tenancy.notes]
    if notes:
        parts += ["### To know", _list(notes)]
    parts += ["### How to use it", _how(request, tenancy), "### Objects"]
    rows = [(item.kind, f"`{item.name}`", item.outcome.value, item.detail) for item in outcome.objects]
    parts.append(table(("Kind", "Name", "Result", "Detail"), rows))
    return "\n\n".join(parts)


def example_job(request: TenantRequest, tenancy: Tenancy) -> str:
    """A job that gets one GPU, as YAML."""
    queue = f"  labels:\n    kueue.x-k8s.io/queue-name: {request.queue}\n" if _has_queue(tenancy) else ""
    wanted = [p for p in tenancy.pools if request.gpu_model in {None, p.model}]
    # Kueue adds the pool's tolerations to what it admits; without it the job must bring them itself.
    tolerated = "" if _has_queue(tenancy) else "".join(
        f"        - {{key: {item['key']}, operator: {item['operator']}"
        + (f", value: {item['value']}" if "value" in item else "")
        + f", effect: {item['effect']}}}\n"
        for item in (tolerations(wanted[0]) if wanted else ())
    )  # fmt: skip
    return (
        "apiVersion: batch/v1\n"
        "kind: Job\n"
        "metadata:\n"
        "  name: gpu-test\n"
        f"  namespace: {request.namespace}\n"
        f"{queue}"
        "spec:\n"
        "  template:\n"
        "    spec:\n"
        "      restartPolicy: Never\n"
        f"      priorityClassName: {request.default_priority_class.value}\n"
        f"{'      tolerations:' + chr(10) + tolerated if tolerated else ''}"
        "      containers:\n"
        "        - name: main\n"
        "          image: nvidia/cuda:12.8.1-base-ubuntu24.04\n"
        "          command: [nvidia-smi]\n"
        "          resources:\n"
        f'            limits: {{cpu: "1", memory: 4Gi, {GPU_RESOURCE}: 1}}\n'
    )


def _how(request: TenantRequest, tenancy: Tenancy) -> str:
    commands = (
        f"az aks get-credentials --resource-group {tenancy.resource_group} --name {tenancy.cluster_name}\n"
        "kubelogin convert-kubeconfig -l azurecli\n"
        f"kubectl --namespace {request.namespace} describe resourcequota"
    )
    parts = [f"```sh\n{commands}\n```"]
    if request.gpus:
        parts += ["A job that shows its GPU:", f"```yaml\n{example_job(request, tenancy)}```"]
    return "\n\n".join(parts)


def _network(request: TenantRequest, tenancy: Tenancy) -> str:
    services = ", ".join(
        f"{item.namespace}:{item.port}/{item.protocol.value}" for item in request.shared_services
    )
    text = f"{request.isolation.value}, DNS{f', {services}' if services else ''}"
    return text if tenancy.network_engine else f"{text} (not enforced)"


def _has_queue(tenancy: Tenancy) -> bool:
    return tenancy.kueue_version is not None and bool(tenancy.pools)


def _list(lines: tuple[str, ...] | list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
