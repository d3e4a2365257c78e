"""Terraform's diagnostics as one error with one sentence."""

from __future__ import annotations

import json

import pytest

from gpuplatform.errors import Conflict, InvalidInput, NotFound, PlatformError, Refused, Retryable
from gpuplatform.terraform.diagnostics import as_error
from gpuplatform.terraform.events import Stream

LOCK = (
    "Error message: state blob is already locked\nLock Info:\n  ID:        7746d151-7f8d\n"
    "  Path:      tfstate/dev\n  Operation: OperationTypeApply\n  Who:       worker@host-7\n"
    "  Version:   1.11.4\n  Created:   2026-12-01 03:29:41.276477998 +0000 UTC\n  Info:      \n\n\nTerraform"
)


def stream(*problems: tuple[str, str], severity: str = "error") -> Stream:
    made = Stream()
    for summary, detail in problems:
        diagnostic = {"severity": severity, "summary": summary, "detail": detail}
        made.take(json.dumps({"type": "diagnostic", "diagnostic": diagnostic}))
    return made


def error(*problems: tuple[str, str], retryable: bool = True) -> PlatformError:
    return as_error("planning dev", stream(*problems), "", retryable=retryable)


def test_validation_message_is_the_whole_sentence() -> None:
    detail = (
        "GPU VM size must be an N-series SKU (e.g., Standard_NC6s_v3, Standard_NC24ads_A100_v4)."
        "\n\nThis was checked by the validation rule at variables.tf:35,3-13."
    )
    found = error(("Invalid value for variable", detail))
    assert type(found) is InvalidInput
    assert str(found) == (
        "GPU VM size must be an N-series SKU (e.g., Standard_NC6s_v3, Standard_NC24ads_A100_v4)."
    )


def test_precondition_with_further_problems() -> None:
    found = error(
        ("Resource precondition failed", "gpu_min_nodes must be 0."), ("Other", ""), ("Another", "")
    )
    assert type(found) is InvalidInput
    assert str(found) == "gpu_min_nodes must be 0. (and 2 more)"


def test_lock() -> None:
    found = error(("Error acquiring the state lock", LOCK))
    assert type(found) is Conflict
    assert str(found) == (
        "planning dev: the state is locked by worker@host-7 (apply) since 2026-12-01 03:29:41 UTC,"
        " lock 7746d151-7f8d: try again when that run has ended,"
        " or `terraform force-unlock` it if the run was killed"
    )


def test_lock_without_its_metadata() -> None:
    assert "by whom is not recorded" in str(error(("Error acquiring the state lock", "blob is leased")))


@pytest.mark.parametrize(
    "detail",
    [
        "read tcp 10.0.0.1:1->10.0.0.2:443: read: connection reset by peer",
        "unexpected status 503 Service Unavailable",
        "Code: ServerBusy",
        "net/http: TLS handshake timeout",
    ],
)
def test_passing_faults(detail: str) -> None:
    assert isinstance(error(("Error refreshing state", detail)), Retryable)
    assert not isinstance(error(("Error refreshing state", detail), retryable=False), Retryable)


@pytest.mark.parametrize(
    ("summary", "detail", "kind"),
    [
        ("Saved plan is stale", "The given plan file can no longer be applied", Refused),
        ("Failed to get existing workspaces", "404 ContainerNotFound", NotFound),
        ("Error loading state", "403 AuthorizationPermissionMismatch", Refused),
        ("creating Kubernetes Cluster", "unexpected status 409 QuotaExceeded", PlatformError),
    ],
)
def test_kinds(summary: str, detail: str, kind: type[PlatformError]) -> None:
    assert type(error((summary, detail))) is kind


def test_warnings_are_no_reason() -> None:
    found = as_error("planning dev", stream(("Deprecated", ""), severity="warning"), "boom\n", retryable=True)
    assert str(found) == "planning dev: boom"


def test_no_reason_at_all() -> None:
    assert str(as_error("planning dev", Stream(), "", retryable=True)).endswith("Terraform gave no reason")


def test_text_before_the_json_is_the_reason() -> None:
    made = Stream()
    made.take("panic: something broke")
    assert str(as_error("planning dev", made, "", retryable=True)) == "planning dev: panic: something broke"


def test_secrets_are_hidden_and_texts_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARM_CLIENT_SECRET", "correct-horse-battery")
    found = error(("Bad", f"client_secret=correct-horse-battery {'x' * 50_000}"))
    assert "horse" not in str(found)
    assert len(str(found)) < 1_200
