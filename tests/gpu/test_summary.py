"""The summary of a verification: what to look at first, and nothing that sounds better than it is."""

from __future__ import annotations

import pytest

from gpuplatform.environments import EnvironmentName
from gpuplatform.gpu.findings import Category, Finding, Kind, Severity, Status, Verdict, verdict
from gpuplatform.gpu.summary import VerifySummary


def finding(severity: Severity, text: str = "text", category: Category = Category.XID) -> Finding:
    return Finding(category=category, severity=severity, summary=text, detail="a|b `c`", resolution="Do it.")


def of(target: str, *findings: Finding, seen: int | None = 1) -> Verdict:
    return verdict(Kind.MACHINE, target, "Standard_X", list(findings), expected_gpus=1, seen_gpus=seen)


GOOD = of("good")
WARNED = of("warned", finding(Severity.WARNING, "a warning"))
UNKNOWN = of("unknown", seen=None)
BAD = of("bad", finding(Severity.INFO, "first"), finding(Severity.ERROR, "broken"))
IDLE = of("idle", finding(Severity.INFO, "scaled to zero", Category.POOL_EMPTY), seen=None)


def summary(*verdicts: Verdict) -> VerifySummary:
    return VerifySummary(environment=EnvironmentName.DEV, verdicts=verdicts)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (GOOD, Status.HEALTHY),
        (WARNED, Status.DEGRADED),
        (UNKNOWN, Status.UNKNOWN),
        (BAD, Status.FAILING),
        (IDLE, Status.NOTHING),
        (
            of("x", finding(Severity.ERROR), finding(Severity.INFO, category=Category.POOL_EMPTY)),
            Status.FAILING,
        ),
        (of("x", finding(Severity.UNKNOWN), finding(Severity.WARNING)), Status.UNKNOWN),
    ],
)
def test_the_verdict_is_that_of_the_worst_finding(given: Verdict, status: Status) -> None:
    assert given.status is status


@pytest.mark.parametrize(
    ("verdicts", "proven", "message"),
    [
        ((GOOD,), True, "1 GPU target: 1 healthy"),
        ((GOOD, WARNED), True, "2 GPU targets: 1 degraded, 1 healthy; worst: warned: a warning"),
        (
            (GOOD, BAD, IDLE),
            False,
            "3 GPU targets: 1 failing, 1 healthy, 1 nothing to verify; worst: bad: broken",
        ),
        ((GOOD, UNKNOWN), False, "2 GPU targets: 1 unknown, 1 healthy"),
        ((IDLE,), True, "1 GPU target: 1 nothing to verify"),
        ((), True, "nothing to verify: dev has no GPU node pool and no GPU machine"),
    ],
)
def test_the_sentence(verdicts: tuple[Verdict, ...], proven: bool, message: str) -> None:
    found = summary(*verdicts)
    assert found.proven is proven
    assert found.message == message


def test_the_table_has_the_worst_first_and_the_report_every_finding() -> None:
    found = summary(GOOD, IDLE, BAD)
    assert [row["target"] for row in found.rows()] == ["bad", "good", "idle"]
    text = found.markdown()
    assert "- **bad** (xid): broken. Do it.\n  `a|b 'c'`" in text
    assert "- **idle** (pool-empty): scaled to zero." in text


def test_it_survives_the_way_through_json() -> None:
    found = summary(GOOD, BAD, IDLE)
    assert VerifySummary.model_validate_json(found.model_dump_json()) == found
