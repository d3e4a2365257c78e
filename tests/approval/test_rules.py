"""Who may decide, when a plan may be applied, and which state may follow which."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

import pytest

from gpuplatform.approval.record import Counts, RunRecord, RunState
from gpuplatform.approval.rules import Provenance, judge, why_not_applicable
from gpuplatform.approval.text import approval_request
from gpuplatform.approval.transitions import TERMINAL, TRANSITIONS, move
from gpuplatform.environments import ApprovalRules, Environment, EnvironmentName, StateSpec
from gpuplatform.errors import Conflict
from tests.approval.records import NOW, record

RULES = ApprovalRules(approvers=("Operator@example.com", "lead@example.com"))
ENVIRONMENT = Environment(
    name=EnvironmentName.DEV,
    location="eastus2",
    state=StateSpec(resource_group="rg", sku="Standard_LRS"),
    approval=RULES,
)


@pytest.mark.parametrize(
    ("value", "approver", "comment", "reason"),
    [
        ("approve", "operator@EXAMPLE.com", "", None),
        ("approve", " lead@example.com ", "fine", None),
        ("reject", "lead@example.com", "too big", None),
        ("reject", "lead@example.com", "  ", "needs a comment"),
        ("approve", "eve@example.com", "", "eve@example.com may not decide on dev"),
        ("reject", "eve@example.com", "no", "may not decide"),
    ],
)
def test_judge(value: Literal["approve", "reject"], approver: str, comment: str, reason: str | None) -> None:
    verdict = judge(value=value, approver=approver, comment=comment, record=record(), rules=RULES, now=NOW)
    if reason is None:
        assert verdict.decision is not None
        assert (verdict.decision.value, verdict.decision.verified) == (value, "self-declared")
        assert verdict.decision.approver == approver.strip()
    else:
        assert verdict.decision is None
        assert reason in verdict.reason


def test_the_requester_cannot_decide() -> None:
    verdict = judge(
        value="approve",
        approver="lead@example.com",
        comment="",
        record=record(requester="LEAD@example.com"),
        rules=RULES,
        now=NOW,
    )
    assert verdict.decision is None
    assert "asked for this run" in verdict.reason


CURRENT = Provenance(engine_version="1.11.4", code_version="c0de", config_digest="d19e57")


@pytest.mark.parametrize(
    ("changed", "hours", "reason"),
    [
        ({}, 0, None),
        ({"state": RunState.AWAITING_APPROVAL}, 0, "is awaiting_approval, not approved"),
        ({"state": RunState.APPLYING}, 0, "is applying, not approved"),
        ({"state": RunState.APPLIED}, 0, "is applied, not approved"),
        ({}, 24, "expired at 2026-01-03 03:04 UTC"),
        ({"code_version": "other"}, 0, "code changed"),
        ({"config_digest": "other"}, 0, "configuration changed"),
        ({"engine_version": "1.15.5"}, 0, "made by Terraform 1.15.5 and this worker has 1.11.4"),
    ],
)
def test_why_not_applicable(changed: dict[str, Any], hours: int, reason: str | None) -> None:
    found = why_not_applicable(
        record(**{"state": RunState.APPROVED, **changed}), CURRENT, NOW + timedelta(hours=hours)
    )
    if reason is None:
        assert found is None
    else:
        assert found is not None
        assert reason in found
        assert found.endswith("start a new run, which plans again")


@pytest.mark.parametrize("before", list(RunState))
@pytest.mark.parametrize("after", list(RunState))
def test_transitions(before: RunState, after: RunState) -> None:
    here = record(state=before)
    if after in TRANSITIONS[before]:
        moved = move(here, after, NOW + timedelta(hours=1), outcome="so")
        assert (moved.state, moved.outcome, moved.updated_at) == (after, "so", NOW + timedelta(hours=1))
    else:
        with pytest.raises(Conflict, match=f"is {before} and cannot become {after}"):
            move(here, after, NOW)


def test_a_plan_is_consumed_once() -> None:
    """No way leads from `applying` to a state from which an apply may start."""
    reached, todo = set[RunState](), [RunState.APPLYING]
    while todo:
        state = todo.pop()
        reached.add(state)
        todo += TRANSITIONS[state] - reached
    assert RunState.APPROVED not in reached
    assert {RunState.APPLIED, RunState.FAILED, RunState.UNKNOWN} <= TERMINAL


def test_the_record_survives_its_file() -> None:
    before = record(outputs={"gpu_pools": {"gpu": {"max_nodes": 3}}})
    text = before.model_dump_json()
    assert RunRecord.model_validate_json(text) == before
    newer = text.replace('"format":1', '"format":1,"added_later":true')
    assert RunRecord.model_validate_json(newer) == before


def test_counts_text() -> None:
    assert str(Counts(add=1, destroy=2)) == "1 to add, 0 to change, 0 to replace, 2 to destroy"


def test_request_text() -> None:
    text = approval_request(record(), ENVIRONMENT)
    assert "Apply this plan to `dev`?" in text
    assert "**2 to add**" in text
    assert "`Operator@example.com`, `lead@example.com`" in text
    assert "2026-01-03 03:04 UTC" in text
    assert "`aaaaaaaaaaaa`" in text
    again = approval_request(record(), ENVIRONMENT, "eve may not decide")
    assert again.startswith("> **Not accepted:** eve may not decide.")
