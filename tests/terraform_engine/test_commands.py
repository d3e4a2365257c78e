"""The real engines on a configuration without providers: plan, show, apply, locks, deadlines."""

from __future__ import annotations

import _thread
import json
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuplatform.errors import Conflict, DeadlineExceeded, InvalidInput, PlatformError
from gpuplatform.settings import Settings
from gpuplatform.terraform.configuration import Configuration
from gpuplatform.terraform.engine import Engine
from gpuplatform.terraform.plan import Action
from gpuplatform.terraform.plan_file import digest, read_plan_file
from gpuplatform.terraform.runner import Terraform
from gpuplatform.terraform.summary import plan_counts, summarize
from gpuplatform.terraform.workspace import Workspace, open_workspace

Make = Callable[..., Terraform]


def tfvars(home: Path, text: str) -> None:
    (home / "terraform" / "environments" / "dev.tfvars").write_text(text)


def slow(workspace: Workspace, seconds: float) -> None:
    workspace.var_file.write_text(f'size = "Standard_NC6"\nseconds = {seconds}\n')


def test_plan_show_apply_and_nothing_left(terraform: Make, workspace: Workspace, state: Path) -> None:
    said: list[str] = []
    run = terraform(said.append)
    run.init({})
    assert run.plan() is True
    plan = run.show()
    (change,) = plan.changes
    assert (change.address, change.action) == ("terraform_data.pool", Action.CREATE)
    assert "swordfish" not in repr(plan)
    assert plan_counts(plan).add == 1
    assert summarize(plan).startswith("**1 to add, 0 to change, 0 to replace, 0 to destroy**")
    file = read_plan_file(workspace.plan_file.read_bytes())
    assert (file.sha256, file.serial) == (digest(workspace.plan_file.read_bytes()), 0)

    assert run.apply() == {"size": "Standard_NC6"}
    assert run.output() == {"size": "Standard_NC6"}
    assert any("Creation complete" in line for line in said)
    assert state.exists()

    assert run.plan() is False
    again_file = read_plan_file(workspace.plan_file.read_bytes())
    stored = json.loads(state.read_text())
    assert (again_file.lineage, again_file.serial) == (stored["lineage"], stored["serial"])
    again = run.show()
    assert again.of(Action.CREATE, Action.UPDATE, Action.DELETE, Action.REPLACE) == ()
    assert again.planned_outputs == {"size": "Standard_NC6"}


def test_a_plan_is_stale_after_another_apply(terraform: Make, workspace: Workspace) -> None:
    run = terraform()
    run.init({})
    run.plan()
    first = workspace.plan_file.read_bytes()
    run.apply()
    workspace.plan_file.write_bytes(first)
    with pytest.raises(PlatformError, match="start a new run, which plans again"):
        run.apply()


def test_the_configurations_own_sentence_arrives(terraform: Make, workspace: Workspace) -> None:
    workspace.var_file.write_text('size = "Standard_D4s_v5"\n')
    run = terraform()
    run.init({})
    with pytest.raises(InvalidInput) as caught:
        run.plan()
    assert str(caught.value) == "GPU VM size must be an N-series SKU (e.g., Standard_NC6s_v3)."


def test_syntax_error_names_its_place(terraform: Make, workspace: Workspace) -> None:
    (workspace.directory / "bad.tf").write_text('resource "terraform_data" {\n')
    with pytest.raises(PlatformError, match=r"^initializing dev: .*\(bad\.tf:\d+\)"):
        terraform().init({})


def test_secrets_in_a_failure_are_hidden(
    terraform: Make, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARM_CLIENT_SECRET", "correct-horse-battery")
    (workspace.directory / "leak.tf").write_text(
        'resource "terraform_data" "leak" {\n  provisioner "local-exec" {\n'
        '    command = "echo $ARM_CLIENT_SECRET >&2; exit 3"\n  }\n}\n'
    )
    said: list[str] = []
    run = terraform(said.append)
    run.init({})
    run.plan()
    with pytest.raises(PlatformError) as caught:
        run.apply()
    assert "correct-horse" not in str(caught.value) + "".join(said)
    assert "local-exec" in str(caught.value)


def test_deadline_of_an_apply_frees_the_lock(terraform: Make, workspace: Workspace, state: Path) -> None:
    slow(workspace, 60)
    run = terraform(terraform_apply_timeout_seconds=1.5, terraform_kill_grace_seconds=20)
    run.init({})
    run.plan()
    with pytest.raises(DeadlineExceeded, match="was asked to stop and did"):
        run.apply()
    assert json.loads(state.read_text())["serial"] >= 1
    slow(workspace, 0)
    assert terraform(terraform_lock_timeout_seconds=0).plan() is True


def test_interrupt_of_an_apply_frees_the_lock(terraform: Make, workspace: Workspace) -> None:
    slow(workspace, 60)

    def report(line: str) -> None:
        if "Provisioning" in line:
            threading.Timer(0.3, _thread.interrupt_main).start()

    run = terraform(report, terraform_kill_grace_seconds=20)
    run.init({})
    run.plan()
    with pytest.raises(KeyboardInterrupt):
        run.apply()
    slow(workspace, 0)
    assert terraform(terraform_lock_timeout_seconds=0).plan() is True


def test_lock_says_who_and_since_when(
    terraform: Make, workspace: Workspace, home: Path, engine: Engine
) -> None:
    slow(workspace, 60)
    holding = threading.Event()
    first = terraform(lambda _: holding.set(), terraform_apply_timeout_seconds=4)
    first.init({})
    first.plan()
    outcome: list[BaseException] = []

    def hold() -> None:
        try:
            first.apply()
        except DeadlineExceeded as error:
            outcome.append(error)

    thread = threading.Thread(target=hold)
    thread.start()
    assert holding.wait(20)
    try:
        with open_workspace(Configuration(home, "dev"), engine) as other:
            second = Terraform(
                other,
                Settings(terraform_lock_timeout_seconds=0),
                name="dev",
                subscription_id="",
                report=lambda _: None,
            )
            second.init({})
            with pytest.raises(Conflict, match=r"the state is locked by \S+@\S+ \(apply\) since 2\d{3}-"):
                second.plan()
    finally:
        thread.join(30)
    assert outcome


def test_workspace_is_private_and_removed(home: Path, engine: Engine) -> None:
    with open_workspace(Configuration(home, "dev"), engine) as opened:
        root = opened.plan_file.parent
        assert stat.S_IMODE(root.stat().st_mode) == 0o700
        assert (opened.directory / "main.tf").exists()
        assert opened.var_file.read_text() == 'size = "Standard_NC6"\n'
    assert not root.exists()
    roots: list[Path] = []

    def break_off() -> None:
        with open_workspace(Configuration(home, "dev"), engine) as opened:
            roots.append(opened.plan_file.parent)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()
    assert not roots[0].exists()


def test_unknown_environment(home: Path) -> None:
    tfvars(home, "")
    with pytest.raises(InvalidInput, match=r"no Terraform variables for 'qa': .* has those of dev"):
        Configuration(home, "qa")


def test_digest_follows_what_the_run_needs(home: Path) -> None:
    before = Configuration(home, "dev").digest()
    (home / "terraform" / "README.md").write_text("notes")
    (home / "terraform" / "environments" / "prod.tfvars").write_text("")
    (home / "terraform" / ".terraform").mkdir()
    (home / "terraform" / ".terraform" / "x.tf").write_text("")
    assert Configuration(home, "dev").digest() == before
    tfvars(home, 'size = "Standard_NC12"\n')
    assert Configuration(home, "dev").digest() != before
