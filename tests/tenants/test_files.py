"""Tenant files: every problem with its file and line, and nobody lost because of somebody else's mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuplatform.environments import EnvironmentName
from gpuplatform.errors import InvalidInput
from gpuplatform.tenants.files import load_named, load_tenant, load_tenants
from tests.tenants.requests import FIELDS

DEV, PROD = EnvironmentName.DEV, EnvironmentName.PROD
REPOSITORY = Path(__file__).resolve().parents[2]


FOREIGN_TAG = (
    "x.yaml, line 1: this is not YAML: could not determine a constructor for the tag"
    " 'tag:yaml.org,2002:python/object:os.system'"
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "tenants").mkdir()
    return tmp_path


def write(home: Path, name: str, text: str | None = None, **changes: Any) -> Path:
    path = home / "tenants" / name
    path.write_text(text if text is not None else yaml.safe_dump(FIELDS | changes, sort_keys=False), "utf-8")
    return path


def problem(path: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        load_tenant(path)
    return str(caught.value)


def test_the_examples_load() -> None:
    loaded = load_tenants(REPOSITORY, DEV)
    assert loaded.problems == ()
    assert [(request.team, request.gpus) for request in loaded.requests] == [("data-science", 2), ("nlp", 1)]


def test_problems_name_file_and_line(home: Path) -> None:
    path = write(home, "nlp.yaml", gpus=1.5, color="red")
    assert problem(path) == (
        "nlp.yaml, line 8: gpus: GPUs come whole, a container gets all of one or none: ask for 1 or 2, not"
        " for a part (got 1.5); nlp.yaml, line 11: color: unknown field"
    )


def test_a_problem_inside_a_list_has_its_own_line(home: Path) -> None:
    text = (
        yaml.safe_dump(FIELDS, sort_keys=False) + "shared_services:\n- namespace: a\n  port: 1\n- port: 0\n"
    )
    assert problem(write(home, "nlp.yaml", text)) == (
        "nlp.yaml, line 14: shared_services.1.namespace: is required;"
        " nlp.yaml, line 14: shared_services.1.port: a port must be from 1 to 65535 (got 0)"
    )


def test_a_problem_of_the_whole_names_the_first_line(home: Path) -> None:
    path = write(home, "nlp.yaml", "# ours\n" + yaml.safe_dump(FIELDS | {"contact": FIELDS["owner"]}))
    assert problem(path) == (
        "nlp.yaml, line 2: contact must be an address of the team, so another one than the owner's"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("team: [nlp", "x.yaml, line 1: this is not YAML: expected ',' or ']', but got '<stream end>'"),
        ("- a\n- b\n", "x.yaml is not a tenant request: it holds no `field: value` lines"),
        ("", "x.yaml is not a tenant request: it holds no `field: value` lines"),
        ("team: nlp\ngpus: 1\ngpus: 8\n", "x.yaml, line 3: gpus is given twice (first on line 2)"),
        ("team: nlp\n---\nteam: cv\n", "x.yaml, line 2: this is not YAML: but found another document"),
        ("team: !!python/object:os.system {}\n", FOREIGN_TAG),
        ("# " + "x" * 100_000, "x.yaml is larger than 100000 bytes: it is no tenant file"),
    ],
)  # fmt: skip
def test_what_is_no_tenant_file(home: Path, text: str, sentence: str) -> None:
    assert problem(write(home, "x.yaml", text)) == sentence


def test_a_missing_file(home: Path) -> None:
    assert problem(home / "tenants" / "x.yaml") == "x.yaml cannot be read: No such file or directory"


def test_a_file_that_is_not_text(home: Path) -> None:
    path = home / "tenants" / "x.yaml"
    path.write_bytes(b"team: \xff\xfe")
    assert problem(path) == "x.yaml is not UTF-8 text"


def test_one_wrong_file_does_not_cost_the_others(home: Path) -> None:
    write(home, "a.yaml", team="a")
    write(home, "b.yaml", team="B")
    write(home, "c.yaml", team="c")
    write(home, "prod.yaml", team="p", environment="prod", gpus=1.5)
    write(home, "notes.txt", "not ours")
    loaded = load_tenants(home, DEV)
    assert [request.team for request in loaded.requests] == ["a", "c"]
    assert len(loaded.problems) == 1
    assert loaded.problems[0].startswith("b.yaml, line 1: team: ")


def test_a_file_of_an_unknown_environment_is_everybodys_problem(home: Path) -> None:
    write(home, "a.yaml", environment="test")
    for environment in (DEV, PROD):
        assert load_tenants(home, environment).problems == (
            "a.yaml, line 2: environment: Input should be 'dev', 'staging' or 'prod' (got 'test')",
        )


def test_one_team_in_two_files_is_used_from_neither(home: Path) -> None:
    write(home, "a.yaml", gpus=1)
    write(home, "b.yaml", gpus=8)
    write(home, "prod.yaml", environment="prod")
    loaded = load_tenants(home, DEV)
    assert loaded.requests == ()
    assert loaded.problems == ("team 'nlp' is asked for twice in dev: a.yaml and b.yaml; keep one",)
    assert [request.team for request in load_tenants(home, PROD).requests] == ["nlp"]


def test_no_folder_is_no_tenants(tmp_path: Path) -> None:
    assert load_tenants(tmp_path, DEV).requests == ()


@pytest.mark.parametrize("name", ["nlp", "nlp.yaml"])
def test_by_name(home: Path, name: str) -> None:
    write(home, "nlp.yaml")
    assert load_named(home, DEV, name).team == "nlp"


@pytest.mark.parametrize("name", ["cv", "../policy/environments", "", "/etc/passwd"])
def test_an_unknown_name_is_answered_with_the_known_ones(home: Path, name: str) -> None:
    write(home, "nlp.yaml")
    with pytest.raises(InvalidInput) as caught:
        load_named(home, DEV, name)
    assert str(caught.value) == f"there is no tenant file {name!r} in tenants/; there are: nlp"


def test_a_file_of_another_environment(home: Path) -> None:
    write(home, "nlp.yaml", environment="prod")
    with pytest.raises(InvalidInput, match=r"^nlp\.yaml is for prod, not for dev$"):
        load_named(home, DEV, "nlp")


@pytest.mark.parametrize(
    "text",
    ["cost_center: 2024-13-45", "team: !!int abc", "gpus: !!float zz", "? [a, b]\n: 1", "a: " + "[" * 5_000],
)
def test_values_that_yaml_cannot_construct_are_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidInput, match=r"^odd\.yaml") as caught:
        load_tenant(path)
    assert "\n" not in str(caught.value)
