"""Tasks on GPU quota."""

from __future__ import annotations

from prefect import get_run_logger, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from gpuplatform.quota.summary import SweepSummary
from gpuplatform.quota.sweep import sweep_quota
from tasks.retrying import RETRYING

__all__ = ["read_gpu_quota"]


@task(name="read GPU quota", task_run_name="read GPU quota", **RETRYING)
def read_gpu_quota(subscription_ids: list[str], regions: list[str]) -> SweepSummary:
    """Read the GPU quota of every region of every subscription and write it down."""
    summary = sweep_quota(subscription_ids, regions, get_run_logger().info)
    create_table_artifact(summary.table_rows(), key="gpu-quota-table", description=summary.message)
    create_markdown_artifact(summary.markdown(), key="gpu-quota", description="GPU quota")
    return summary
