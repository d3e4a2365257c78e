"""Artifacts of a run as a whole."""

from __future__ import annotations

from prefect.artifacts import create_markdown_artifact

from gpuplatform.reporting.platform import PlatformSummary

__all__ = ["publish_platform_summary"]


def publish_platform_summary(summary: PlatformSummary) -> None:
    """What the run leaves behind, as an artifact of the flow run."""
    name = summary.environment.value
    create_markdown_artifact(summary.markdown(), key=f"platform-{name}", description=summary.message)
