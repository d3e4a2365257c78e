"""What an operator reads above the approval form."""

from __future__ import annotations

from gpuplatform.approval.record import RunRecord
from gpuplatform.environments import Environment

__all__ = ["approval_request"]


def approval_request(record: RunRecord, environment: Environment, reason: str = "") -> str:
    """Markdown: why the last answer did not count, what is to be decided and by whom, then the plan."""
    again = f"> **Not accepted:** {reason}. Please answer again.\n\n" if reason else ""
    approvers = ", ".join(f"`{name}`" for name in environment.approval.approvers)
    return (
        f"{again}### Apply this plan to `{environment.name.value}`?\n\n"
        f"{record.summary}\n\n"
        f"- Asked for by `{record.requester}`, who cannot approve\n"
        f"- May approve: {approvers}\n"
        f"- Decide before {record.expires_at:%Y-%m-%d %H:%M} UTC; then the plan expires\n"
        f"- Plan `{record.plan_sha256[:12]}` made by Terraform {record.engine_version};"
        " exactly this plan is applied\n"
    )
