"""Environments: the shipped file is valid, names are Azure's, mistakes are one sentence."""

from pathlib import Path

import pytest

from gpuplatform.environments import EnvironmentName, load_environment
from gpuplatform.errors import InvalidInput

HOME = Path(__file__).parents[2]
SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"


@pytest.mark.parametrize("name", [item.value for item in EnvironmentName])
def test_shipped_environments_are_valid(name: str) -> None:
    environment = load_environment(name, HOME)
    account = environment.state_account(SUBSCRIPTION)
    assert account.isalnum()
    assert account == account.lower()
    assert 3 <= len(account) <= 24


def test_account_depends_on_the_subscription_and_not_on_its_case() -> None:
    environment = load_environment("dev", HOME)
    other = SUBSCRIPTION.replace("1", "A")
    assert environment.state_account(other) == environment.state_account(other.lower())
    assert environment.state_account(other) != environment.state_account(SUBSCRIPTION)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("prod: {}", "unknown environment 'dev': environments.yaml has prod"),
        ("dev: [", "is not YAML"),
        ("dev: {location: East US}", "environments.yaml, dev: location: String should match pattern"),
        ("- dev", "unknown environment 'dev': environments.yaml has none"),
    ],
)
def test_mistakes_are_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "environments.yaml").write_text(text, "utf-8")
    with pytest.raises(InvalidInput) as caught:
        load_environment("dev", tmp_path)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"there is no .*environments\.yaml"):
        load_environment("dev", tmp_path)
