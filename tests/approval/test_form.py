"""The constraints that the server checks before it accepts an answer."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from flows.approval_form import ApprovalForm

GOOD = {"decision": "approve", "approver": "operator@example.com"}


@pytest.mark.parametrize(
    ("answer", "valid"),
    [
        (GOOD, True),
        ({**GOOD, "comment": "go"}, True),
        ({**GOOD, "decision": "reject"}, True),
        ({**GOOD, "decision": "yes"}, False),
        ({**GOOD, "approver": "x"}, False),
        ({**GOOD, "approver": "no at sign"}, False),
        ({**GOOD, "comment": "x" * 1_001}, False),
        ({"decision": "approve"}, False),
        ({"approver": "operator@example.com"}, False),
        ({}, False),
    ],
)
def test_schema(answer: dict[str, Any], valid: bool) -> None:
    # As the flow makes it: a description must not drop the constraints.
    form = ApprovalForm.with_initial_data(description="a plan")
    assert Draft202012Validator(form.model_json_schema()).is_valid(answer) is valid
