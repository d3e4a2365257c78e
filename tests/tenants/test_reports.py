"""What a run tells: its sentence, its table, and each team's page."""

from __future__ import annotations

from typing import Any

import yaml

from gpuplatform.environments import EnvironmentName
from gpuplatform.tenants.results import ObjectResult, Outcome, Tenancy, TenantOutcome
from gpuplatform.tenants.summary import OnboardSummary
from gpuplatform.tenants.usage import example_job, tenant_markdown
from tests.tenants.requests import GROUP, tenant
from tests.tenants.test_manifests import T4

DEV = EnvironmentName.DEV


def tenancy(**changes: Any) -> Tenancy:
    facts: dict[str, Any] = {
        "environment": DEV, "resource_group": "rg-ai-dev", "cluster_name": "aks-ai-dev", "cluster_id": "/x",
        "kueue_version": "v1beta2", "network_engine": True, "pools": (T4,),
    }  # fmt: skip
    return Tenancy(**(facts | changes))


def outcome(team: str = "nlp", result: Outcome = Outcome.CREATED, **changes: Any) -> TenantOutcome:
    item = ObjectResult(
        kind="Namespace", name=f"team-{team}", outcome=result, detail="why" * (result is Outcome.FAILED)
    )
    return TenantOutcome(request=tenant(team=team), objects=(item,), **changes)


def summary(*tenants: TenantOutcome, **changes: Any) -> OnboardSummary:
    return OnboardSummary(
        environment=DEV, tenants=tenants, tenancy=changes.pop("tenancy", tenancy()), **changes
    )


def test_all_went_well() -> None:
    done = summary(outcome("data-science"), outcome("nlp"))
    assert done.message == "2 tenants onboarded in dev: data-science, nlp"
    assert done.succeeded
    assert done.changed


def test_nothing_changed() -> None:
    done = summary(outcome(result=Outcome.UNCHANGED))
    assert done.message == "1 tenant onboarded in dev: nlp, nothing changed"
    assert not done.changed
    assert done.rows()[0]["result"] == "no changes"


def test_a_failed_tenant_is_named_and_the_others_are_not_lost() -> None:
    done = summary(outcome("cv"), outcome("nlp", Outcome.FAILED))
    assert done.message == (
        "1 tenant onboarded in dev: cv; failed: nlp; nlp: Namespace team-nlp: failed (why)"
    )
    assert not done.succeeded
    assert [(row["tenant"], row["result"]) for row in done.rows()] == [("cv", "1 change"), ("nlp", "failed")]


def test_a_tenant_that_was_given_up_is_failed() -> None:
    done = summary(TenantOutcome(request=tenant(), error="the cluster did not answer"))
    assert done.failures == ("nlp: the cluster did not answer",)
    assert done.rows()[0]["detail"] == "the cluster did not answer"


def test_a_wrong_file_or_a_shared_object_fails_the_run() -> None:
    conflict = ObjectResult(
        kind="PriorityClass", name="exploratory", outcome=Outcome.CONFLICT, detail="differs"
    )
    done = summary(outcome(), problems=("b.yaml, line 1: bad",), tenancy=tenancy(objects=(conflict,)))
    assert done.message == "1 tenant onboarded in dev: nlp; b.yaml, line 1: bad (and 1 more)"
    assert done.failures[1] == "PriorityClass exploratory: conflict (differs)"


def test_no_tenants() -> None:
    empty = OnboardSummary(environment=DEV, tenants=())
    assert empty.message == "no tenant to onboard: no file in tenants/ is for dev"
    assert empty.succeeded


def test_the_summary_survives_the_way_through_json() -> None:
    done = summary(outcome())
    assert OnboardSummary.model_validate_json(done.model_dump_json()) == done


def test_the_page_of_a_tenant() -> None:
    page = tenant_markdown(outcome(notes=("the queue is stopped",)), tenancy(notes=("no engine",)))
    assert "`team-nlp` in `aks-ai-dev` (dev)" in page
    assert GROUP in page
    assert "az aks get-credentials --resource-group rg-ai-dev --name aks-ai-dev" in page
    assert "- the queue is stopped\n- no engine" in page
    assert "| Namespace | `team-nlp` | created | – |" in page
    assert "### Failed" not in page


def test_the_page_says_what_failed_and_what_is_not_enforced() -> None:
    page = tenant_markdown(outcome(result=Outcome.FAILED), tenancy(network_engine=False))
    assert "### Failed\n\n- Namespace team-nlp: failed (why)" in page
    assert "(not enforced)" in page


def test_the_example_job_goes_to_the_queue() -> None:
    job = yaml.safe_load(example_job(tenant(), tenancy()))
    assert job["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "nlp-queue"}
    pod = job["spec"]["template"]["spec"]
    assert pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == 1
    assert "tolerations" not in pod
    assert pod["priorityClassName"] == "exploratory"


def test_without_kueue_the_example_brings_its_tolerations() -> None:
    job = yaml.safe_load(example_job(tenant(), tenancy(kueue_version=None)))
    assert "labels" not in job["metadata"]
    assert job["spec"]["template"]["spec"]["tolerations"] == [
        {"key": "sku", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}
    ]


def test_no_gpus_no_gpu_example() -> None:
    page = tenant_markdown(TenantOutcome(request=tenant(gpus=0)), tenancy())
    assert "kind: Job" not in page
