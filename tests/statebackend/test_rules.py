"""What a state account lacks, who may write, and names."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gpuplatform.ids import ObjectId
from gpuplatform.statebackend.report import BootstrapReport, Step, StepStatus
from gpuplatform.statebackend.rules import (
    BLOB_CONTRIBUTOR,
    AccountSettings,
    RecoverySettings,
    account_differences,
    assignment_name,
    has_role,
    proposed_name,
    recovery_differences,
    role_id,
)

GOOD = AccountSettings()
CONTAINER = (
    "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a"
    "/blobServices/default/containers/tfstate"
)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (GOOD, []),
        (replace(GOOD, minimum_tls="TLS1_3"), []),
        (replace(GOOD, minimum_tls="TLS1_0"), ["minimum tls TLS1_0 → TLS1_2"]),
        (replace(GOOD, minimum_tls=None), ["minimum tls None → TLS1_2"]),
        (replace(GOOD, public_blobs=True), ["public blobs True → False"]),
        # Absent means allowed in Azure.
        (replace(GOOD, shared_keys=None), ["shared keys None → False"]),
        (replace(GOOD, https_only=False, cross_tenant_replication=True),
         ["https only False → True", "cross tenant replication True → False"]),
    ],
)  # fmt: skip
def test_account_differences(actual: AccountSettings, expected: list[str]) -> None:
    assert [str(item) for item in account_differences(actual)] == expected


@pytest.mark.parametrize(
    ("actual", "number"),
    [
        (RecoverySettings(True, 30, 30), 0),
        (RecoverySettings(True, 365, 90), 0),
        (RecoverySettings(False, 30, 30), 1),
        (RecoverySettings(True, 7, 30), 1),
        (RecoverySettings(False, 0, 0), 3),
    ],
)
def test_recovery_differences(actual: RecoverySettings, number: int) -> None:
    assert len(recovery_differences(actual, 30)) == number


@pytest.mark.parametrize(
    ("role", "scope", "expected"),
    [
        (BLOB_CONTRIBUTOR, CONTAINER, True),
        (BLOB_CONTRIBUTOR.upper(), CONTAINER.upper(), True),
        ("b7e6dc6d-f1e8-4753-8033-0f276bb0955b", "/subscriptions/s", True),
        (BLOB_CONTRIBUTOR, f"{CONTAINER}2", False),
        (BLOB_CONTRIBUTOR, f"{CONTAINER}/blobs/x", False),
        # Reader, and Owner: neither may write blobs.
        ("2a2b9908-6ea1-4ae2-8e65-a410df84e7d1", CONTAINER, False),
        ("8e3af657-a8ff-443c-a75c-2fe8c4bcb635", "/subscriptions/s", False),
    ],
)
def test_has_role(role: str, scope: str, expected: bool) -> None:
    assert has_role([(role_id("s", role), scope)], CONTAINER) is expected


def test_assignment_name_is_stable() -> None:
    first = assignment_name(CONTAINER, ObjectId("OID"))
    assert first == assignment_name(CONTAINER.upper(), ObjectId("oid"))
    assert first != assignment_name(f"{CONTAINER}2", ObjectId("oid"))


@pytest.mark.parametrize("taken", ["abc", "sttfdev12345678", "x" * 24])
def test_proposed_name(taken: str) -> None:
    name = proposed_name(taken, "sub-1")
    assert re.fullmatch(r"[a-z0-9]{3,24}", name)
    assert name != taken
    assert name != proposed_name(taken, "sub-2")


def test_report() -> None:
    found = Step("lock", "a", StepStatus.FOUND)
    same = BootstrapReport("dev", "g", "a", (found,))
    assert not same.changed
    assert "as it should be" in same.message
    made = BootstrapReport(
        "dev",
        "g",
        "a",
        (
            found,
            Step("container", "b", StepStatus.CREATED),
            Step("container", "c", StepStatus.CREATED),
            Step("account", "a", StepStatus.REPAIRED, "x → y"),
        ),
    )
    assert made.message == "The state backend of dev, a: 2 things created and 1 thing repaired."
    assert "| account | `a` | repaired | x → y |" in made.markdown()
