"""What a request may say, and the sentence for each thing that it may not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gpuplatform.tenants.request import PriorityName, TenantRequest
from gpuplatform.tenants.schema import schema_text, tenant_schema
from gpuplatform.validation import problems
from tests.tenants.requests import FIELDS, tenant

TENANTS = Path(__file__).resolve().parents[2] / "tenants"

NAME = (
    "team: a team's name may hold lower-case letters, digits and inner hyphens only, such as 'data-science'"
)
GROUP = (
    "group_object_id: must be the group's object id, a GUID: display names of Entra ID groups do not work in"
    " Kubernetes RBAC; the id is on the group's page in the Entra admin center, or:"
    ' az ad group show --group "<display name>" --query id'
)
PART = "gpus: GPUs come whole, a container gets all of one or none: ask for 1 or 2, not for a part"
TOO_LONG = (
    "team: a team's name may be 57 characters long, so that team-<team> and <team>-queue stay within 63;"
    f" this one has 58 (got '{'a' * 58}')"
)
LABEL_VALUE = (
    "cost_center: must be a label's value: at most 63 letters, digits, '-', '_' and '.', a letter or"
    " digit at both ends (got 'R&D')"
)
PRIORITY = (
    "default_priority_class: Input should be 'exploratory', 'scheduled-training' or"
    " 'production-inference' (got 'high')"
)
SIZE = "must be a whole number with Mi, Gi or Ti, such as 64Gi"
SERVICE = {"namespace": "registry", "port": 5000}

BAD: list[tuple[str, Any, str]] = [
    ("team", "NLP", f"{NAME} (got 'NLP')"),
    ("team", "-nlp", f"{NAME} (got '-nlp')"),
    ("team", "n_l_p", f"{NAME} (got 'n_l_p')"),
    ("team", "nlp.dev", f"{NAME} (got 'nlp.dev')"),
    ("team", "nlp\n", f"{NAME} (got 'nlp\\n')"),
    ("team", "", f"{NAME} (got '')"),
    (
        "team",
        "team-nlp",
        "team: leave out 'team-': the namespace is called team-<team> anyway (got 'team-nlp')",
    ),
    ("team", "a" * 58, TOO_LONG),
    ("environment", "test", "environment: Input should be 'dev', 'staging' or 'prod' (got 'test')"),
    ("group_object_id", "Data Science", f"{GROUP} (got 'Data Science')"),
    ("group_object_id", "0" * 32, f"{GROUP} (got '{'0' * 32}')"),
    (
        "group_object_id",
        "00000000-0000-0000-0000-000000000000",
        f"{GROUP} (got '00000000-0000-0000-0000-000000000000')",
    ),
    ("owner", "rui", "owner: must be an e-mail address (got 'rui')"),
    (
        "contact",
        "Rui@example.com",
        "document: contact must be an address of the team, so another one than the owner's",
    ),
    ("cost_center", 4711, "cost_center: must be a text: write '4711', with quotes (got 4711)"),
    ("cost_center", "R&D", LABEL_VALUE),
    ("justification", "x", "justification: String should have at least 10 characters (got 'x')"),
    ("gpus", 1.5, f"{PART} (got 1.5)"),
    ("gpus", "2", "gpus: the number of GPUs must be a whole number (got '2')"),
    ("gpus", True, "gpus: the number of GPUs must be a whole number (got True)"),
    ("gpus", None, "gpus: the number of GPUs must be a whole number"),
    ("gpus", -1, "gpus: the number of GPUs must be from 0 to 1000 (got -1)"),
    ("gpus", float("nan"), f"{PART} (got nan)"),
    ("cpu", "500m", "cpu: the number of CPU cores must be a whole number (got '500m')"),
    ("cpu", 0, "cpu: the number of CPU cores must be from 1 to 10000 (got 0)"),
    ("memory", "24 GB", f"memory: {SIZE} (got '24 GB')"),
    ("memory", 24, f"memory: {SIZE} (got 24)"),
    (
        "memory",
        "4095Mi",
        "memory: must be at least 4Gi: a container that names no memory gets that much (got '4095Mi')",
    ),
    ("storage", "1.5Ti", f"storage: {SIZE} (got '1.5Ti')"),
    ("pods", 0, "pods: the number of pods must be from 1 to 5000 (got 0)"),
    ("isolation", "open", "isolation: Input should be 'same-namespace' or 'deny-all' (got 'open')"),
    ("default_priority_class", "high", PRIORITY),
    ("gpu_count", 2, "gpu_count: unknown field"),
    (
        "shared_services",
        [SERVICE, {**SERVICE, "port": 70_000}],
        "shared_services.1.port: a port must be from 1 to 65535 (got 70000)",
    ),
    ("shared_services", [{"namespace": "registry"}], "shared_services.0.port: is required"),
    ("shared_services", [{**SERVICE, "host": "x"}], "shared_services.0.host: unknown field"),
    ("shared_services", [SERVICE, SERVICE], "document: shared_services holds registry:5000/TCP twice"),
    (
        "shared_services",
        [{**SERVICE, "namespace": "team-nlp"}],
        "document: shared_services: team-nlp is the team's own namespace",
    ),
]


@pytest.mark.parametrize(("field", "value", "sentence"), BAD)
def test_a_mistake_gets_its_sentence(field: str, value: Any, sentence: str) -> None:
    with pytest.raises(ValidationError) as caught:
        tenant(**{field: value})
    assert problems(caught.value) == [sentence]


def test_an_unknown_gpu_model_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValidationError) as caught:
        tenant(gpu_model="A1000")
    (sentence,) = problems(caught.value)
    assert sentence.startswith("gpu_model: is not an NVIDIA GPU of Azure; there are: A10, A100 40GB SXM,")
    assert sentence.endswith(" (got 'A1000')")
    assert "T4" in sentence
    assert "MI300X" not in sentence


@pytest.mark.parametrize("field", ["team", "environment", "group_object_id", "owner", "contact", "gpus"])
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TenantRequest.model_validate({key: value for key, value in FIELDS.items() if key != field})
    assert problems(caught.value) == [f"{field}: is required"]


def test_every_problem_is_reported() -> None:
    with pytest.raises(ValidationError) as caught:
        tenant(team="NLP", gpus=1.5, color="red")
    assert [line.split(":")[0] for line in problems(caught.value)] == ["team", "gpus", "color"]


def test_it_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        tenant().gpus = 3


def test_what_is_spelled_otherwise_is_made_one() -> None:
    request = tenant(gpu_model="t4", group_object_id="9D4E1B7C-2F83-4C0E-8A6D-3B1F5E7A9C42")
    assert request.gpu_model == "T4"
    assert request.group_object_id == "9d4e1b7c-2f83-4c0e-8a6d-3b1f5e7a9c42"


def test_the_longest_name_fits_everywhere() -> None:
    request = tenant(team="a" * 57)
    assert len(request.namespace) == 62
    assert len(request.queue) == 63


def test_defaults() -> None:
    request = tenant()
    assert (request.pods, request.storage, request.shared_services) == (50, "100Gi", ())
    assert request.default_priority_class is PriorityName.EXPLORATORY


def test_it_survives_the_way_through_json() -> None:
    """A flow's parameters are kept and sent as JSON."""
    request = tenant(shared_services=[SERVICE], gpu_model="T4")
    assert TenantRequest.model_validate(json.loads(request.model_dump_json())) == request


@given(st.text(max_size=70))
def test_a_team_is_a_dns_label_or_refused(name: str) -> None:
    try:
        request = tenant(team=name)
    except ValidationError:
        return
    for derived in (request.namespace, request.queue):
        assert len(derived) <= 63
        assert derived.isascii()
        assert derived.replace("-", "").isalnum()
        assert derived == derived.lower()


def test_the_published_schema_is_the_models() -> None:
    assert (TENANTS / "schema.json").read_text("utf-8") == schema_text()


@pytest.mark.parametrize("path", sorted(TENANTS.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_examples_follow_the_schema_and_point_to_it(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.startswith("# yaml-language-server: $schema=./schema.json\n")
    jsonschema.validate(yaml.safe_load(text), tenant_schema())


@pytest.mark.parametrize(
    "changes",
    [{"gpus": 1.5}, {"gpus": "2"}, {"gpus": -1}, {"memory": "24 GB"}, {"environment": "test"}, {"color": 1}],
)
def test_the_schema_refuses_in_an_editor_what_we_refuse(changes: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(FIELDS | changes, tenant_schema())
