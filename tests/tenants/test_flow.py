"""The flow in this process: one task run a tenant, and a state that says who failed."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey
from prefect.client.schemas.objects import State
from prefect.testing.utilities import prefect_test_harness
from prefect.utilities.callables import parameter_schema
from prefect.utilities.schema_tools import validate

from flows.onboard_tenant import onboard, onboard_tenant
from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import EnvironmentName, load_environment
from gpuplatform.errors import InvalidInput, Refused
from gpuplatform.settings import settings
from gpuplatform.statebackend.bootstrap import bootstrap_state_backend
from gpuplatform.tenants.request import TenantRequest
from gpuplatform.tenants.results import ObjectResult, Outcome, Tenancy, TenantOutcome
from gpuplatform.terraform.outputs import Outputs
from tests.tenants.requests import FIELDS, tenant
from tests.tenants.test_reports import tenancy

DEV = EnvironmentName.DEV
REPOSITORY = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.usefixtures("prefect"),
    pytest.mark.filterwarnings(
        # Prefect's own: its ephemeral server's sockets and event streams are closed by the collector.
        "ignore::ResourceWarning",
        "ignore::pytest.PytestUnraisableExceptionWarning",
    ),
]

in_a_play = pytest.mark.usefixtures("home", "onboarding")
"""The cluster's side is played; see `onboarding`."""

Onboarding = Callable[[TenantRequest], Outcome]


@pytest.fixture(scope="module")
def prefect() -> Iterator[SyncPrefectClient]:
    with prefect_test_harness(server_startup_timeout=90), get_client(sync_client=True) as client:
        yield client
    gc.collect()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout with tenants of its own."""
    (tmp_path / "tenants").mkdir()
    (tmp_path / "policy").mkdir()
    policy = (REPOSITORY / "policy" / "environments.yaml").read_text("utf-8")
    (tmp_path / "policy" / "environments.yaml").write_text(policy, "utf-8")
    monkeypatch.setenv("GPUPLATFORM_HOME", str(tmp_path))
    monkeypatch.setenv("AZURE_SUBSCRIPTION_ID", "00000000-0000-0000-0000-00000000000a")
    settings.cache_clear()
    yield tmp_path
    settings.cache_clear()


@pytest.fixture
def onboarding(monkeypatch: pytest.MonkeyPatch) -> list[Onboarding]:
    """What happens to a tenant in the cluster; the last of the list is asked."""
    answers: list[Onboarding] = [lambda _: Outcome.CREATED]

    def answer(_clients: Any, _tenancy: Tenancy, request: TenantRequest, _report: Any) -> TenantOutcome:
        item = ObjectResult(kind="Namespace", name=request.namespace, outcome=answers[-1](request))
        return TenantOutcome(request=request, objects=(item,))

    monkeypatch.setattr("tasks.tenants.environment_outputs", lambda *_: None)
    monkeypatch.setattr("tasks.tenants.prepare_cluster", lambda *_: tenancy())
    monkeypatch.setattr("tasks.tenants.onboard_tenant", answer)
    return answers


def write(home: Path, name: str, **changes: Any) -> None:
    (home / "tenants" / name).write_text(yaml.safe_dump(FIELDS | changes), "utf-8")


def run(*args: Any, **kwargs: Any) -> State[Any]:
    state: State[Any] = onboard_tenant(*args, return_state=True, **kwargs)
    return state


def task_runs(client: SyncPrefectClient, state: State[Any]) -> dict[str, str]:
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId  # noqa: PLC0415 - here only

    assert state.state_details.flow_run_id is not None
    only = FlowRunFilter(id=FlowRunFilterId(any_=[state.state_details.flow_run_id]))
    return {item.name: str(item.state_name) for item in client.read_task_runs(flow_run_filter=only)}


@in_a_play
def test_every_tenant_file_has_a_task_run(prefect: SyncPrefectClient, home: Path) -> None:
    write(home, "nlp.yaml")
    write(home, "cv.yaml", team="cv")
    write(home, "other.yaml", team="other", environment="prod")
    state = run(DEV)
    assert state.is_completed()
    assert state.message == "2 tenants onboarded in dev: cv, nlp"
    names = task_runs(prefect, state)
    assert names.keys() == {"prepare the cluster of dev for tenants", "onboard cv", "onboard nlp"}
    key = ArtifactFilter(key=ArtifactFilterKey(any_=["tenant-dev-nlp"]))
    (page,) = prefect._client.post(
        "/artifacts/filter", json={"artifacts": key.model_dump(mode="json")}
    ).json()
    assert "`team-nlp` in `aks-ai-dev` (dev)" in page["data"]


@in_a_play
def test_one_that_fails_is_named_and_the_others_are_done(
    prefect: SyncPrefectClient, home: Path, onboarding: list[Onboarding]
) -> None:
    def answer(request: TenantRequest) -> Outcome:
        if request.team == "nlp":
            raise Refused("the cluster said no")
        if request.team == "broken":
            raise KeyError("a defect")
        return Outcome.CREATED

    onboarding.append(answer)
    write(home, "broken.yaml", team="broken")
    write(home, "cv.yaml", team="cv")
    write(home, "nlp.yaml")
    write(home, "wrong.yaml", team="wrong", gpus=1.5)
    state = run(DEV)
    assert state.is_failed()
    assert state.name == "Tenants failed"
    assert state.message == (
        "1 tenant onboarded in dev: cv; failed: broken, nlp;"
        " broken: internal error: KeyError('a defect') (and 2 more)"
    )
    assert task_runs(prefect, state)["onboard cv"] == "Completed"
    assert task_runs(prefect, state)["onboard nlp"] == "Failed"


@in_a_play
def test_a_second_run_says_that_nothing_changed(home: Path, onboarding: list[Onboarding]) -> None:
    onboarding.append(lambda _: Outcome.UNCHANGED)
    write(home, "nlp.yaml")
    state = run(DEV, tenant="nlp")
    assert (state.name, state.message) == ("No changes", "1 tenant onboarded in dev: nlp, nothing changed")


@in_a_play
def test_a_request_comes_without_a_file() -> None:
    state = run(
        "dev", request=tenant(team="speech").model_dump(mode="json")
    )  # as an event or a form sends it
    assert state.message == "1 tenant onboarded in dev: speech"


@in_a_play
def test_no_tenants() -> None:
    state = run(DEV)
    assert state.is_completed()
    assert state.name == "Nothing to onboard"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"tenant": "cv"}, "there is no tenant file 'cv' in tenants/; there are: nlp"),
        ({"tenant": "nlp"}, "nlp.yaml is for prod, not for dev"),
        (
            {"tenant": "nlp", "request": tenant()},
            "give either the name of a tenant file or a request, not both",
        ),
        ({"request": tenant(environment="prod")}, "the request is for prod, not for dev"),
    ],
)
@in_a_play
def test_a_wrong_question_is_one_sentence(home: Path, arguments: dict[str, Any], sentence: str) -> None:
    write(home, "nlp.yaml", environment="prod")
    with pytest.raises(InvalidInput) as caught:
        onboard(DEV, **arguments)
    assert str(caught.value) == sentence


@in_a_play
def test_a_wrong_question_fails_the_run_without_a_traceback() -> None:
    state = run(DEV, tenant="cv")
    assert state.is_failed()
    assert state.message == "there is no tenant file 'cv' in tenants/; there are: none"


@in_a_play
def test_the_form_of_the_flow_refuses_what_a_request_may_not_say() -> None:
    schema = parameter_schema(onboard_tenant.fn).model_dump_for_openapi()
    form = {"environment": "dev", "request": FIELDS}
    assert validate(form, schema) == []
    for changes in ({"gpus": 1.5}, {"memory": "64 GB"}, {"color": "red"}, {"environment": "test"}):
        assert validate({**form, "request": FIELDS | changes}, schema) != []


@pytest.fixture
def provisioned(
    clients: AzureClients, place: Outputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A checkout whose dev environment is provisioned, as its Terraform state says; nothing is played."""
    unique = uuid4().hex[:10]
    policy = {
        "dev": {
            "location": "eastus2",
            "state": {
                "resource_group": f"rg-state-{unique}",
                "account": f"st{unique}",
                "sku": "Standard_LRS",
            },
            "approval": {"approvers": ["operator@example.com"]},
        }
    }
    for folder in ("policy", "tenants"):
        (tmp_path / folder).mkdir()
    (tmp_path / "policy" / "environments.yaml").write_text(yaml.safe_dump(policy), "utf-8")
    dev = load_environment("dev", tmp_path)
    bootstrap_state_backend(clients, dev, print)
    outputs = {name: {"value": value} for name, value in place.model_dump(mode="json").items()}
    state = json.dumps({"version": 4, "outputs": outputs, "resources": []})
    account = clients.blobs(dev.state_account(clients.subscription_id))
    account.get_blob_client(dev.state.container, dev.state_key).upload_blob(state)
    monkeypatch.setenv("GPUPLATFORM_HOME", str(tmp_path))
    settings.cache_clear()
    yield tmp_path
    settings.cache_clear()


def test_two_teams_get_their_namespaces_and_a_third_its_sentence(provisioned: Path) -> None:
    teams = [f"a{uuid4().hex[:6]}", f"b{uuid4().hex[:6]}"]
    for team in teams:
        fields: dict[str, Any] = {**FIELDS, "team": team, "gpus": 1, "group_object_id": str(uuid4())}
        (provisioned / "tenants" / f"{team}.yaml").write_text(yaml.safe_dump(fields), "utf-8")
    state = onboard_tenant("dev", return_state=True)
    assert state.is_completed(), state.message
    assert state.message == f"2 tenants onboarded in dev: {', '.join(teams)}"

    again = onboard_tenant("dev", return_state=True)
    assert again.name == "No changes"

    (provisioned / "tenants" / "wrong.yaml").write_text(yaml.safe_dump({**FIELDS, "gpus": 1.5}), "utf-8")
    failed = onboard_tenant("dev", return_state=True)
    assert failed.is_failed()
    assert "wrong.yaml, line 5: gpus: GPUs come whole" in str(failed.message)
    assert f"2 tenants onboarded in dev: {', '.join(teams)}, nothing changed" in str(failed.message)
