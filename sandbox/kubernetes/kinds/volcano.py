"""Volcano's kinds, as plain custom resources: no controllers, no webhooks."""

from __future__ import annotations

from sandbox.kubernetes.kinds.rules import KindRules

__all__ = ["RULES"]

RULES: dict[tuple[str, str], KindRules] = {}
