"""When a quota is in force and when a queue takes jobs."""

from __future__ import annotations

import time
from typing import Any

import pytest

from gpuplatform.tenants.waiting import (
    QueueState,
    await_queue,
    await_quotas,
    over_use,
    queue_state,
    quota_in_force,
)
from tests.tenants.memory_cluster import MemoryCluster

GPU = "requests.nvidia.com/gpu"


def quota(hard: dict[str, str], status: dict[str, Any] | None) -> dict[str, Any]:
    return {"spec": {"hard": hard}, **({} if status is None else {"status": status})}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, False),
        ({}, False),
        ({"hard": {GPU: "4", "pods": "10"}}, False),
        ({"hard": {GPU: "4", "pods": "10"}, "used": {GPU: "0"}}, False),
        ({"hard": {GPU: "8", "pods": "10"}, "used": {GPU: "0", "pods": "0"}}, False),
        ({"hard": {GPU: "4"}, "used": {GPU: "0", "pods": "0"}}, False),
        ({"hard": {GPU: "4", "pods": "10"}, "used": {GPU: "0", "pods": "0"}}, True),
        ({"hard": {GPU: "4", "pods": "10000m"}, "used": {GPU: "6", "pods": "1"}}, True),
    ],
)
def test_a_quota_counts_once_its_status_says_the_same(status: dict[str, Any] | None, expected: bool) -> None:
    assert quota_in_force(quota({GPU: "4", "pods": "10"}, status)) is expected


@pytest.mark.parametrize(
    ("used", "text"),
    [
        ("4", None),
        ("0", None),
        ("6", "6 GPUs are in use, 2 more than the quota of 4: running pods stay,"),
        ("10", "10 GPUs are in use, 6 more than the quota of 4: running pods stay,"),
    ],
)
def test_use_above_the_quota_is_told_in_gpus(used: str, text: str | None) -> None:
    said = over_use(quota({GPU: "4"}, {"hard": {GPU: "4"}, "used": {GPU: used}}))
    assert said is None if text is None else (said or "").startswith(text)


def test_no_status_is_no_statement() -> None:
    assert over_use(quota({GPU: "4"}, None)) is None
    assert over_use(quota({"pods": "4"}, {"used": {"pods": "9"}})) is None


def test_queue_conditions() -> None:
    active = {"type": "Active", "status": "True", "message": "Can submit new workloads", "reason": "Ready"}
    other = {"type": "Other", "status": "True"}
    assert queue_state(None) == QueueState(None)
    assert queue_state({"status": {"conditions": [other]}}) == QueueState(None)
    assert queue_state({"status": {"conditions": [other, active]}}).active
    stopped = {**active, "status": "False", "reason": "Stopped", "message": "Stopped"}
    assert queue_state({"status": {"conditions": [stopped]}}) == QueueState(False, "Stopped (Stopped)")


class Slow(MemoryCluster):
    """Its controllers need some looks until they have acted."""

    looks = 3

    def get(
        self, api_version: str, kind: str, name: str, namespace: str | None = None
    ) -> dict[str, Any] | None:
        self.looks -= 1
        self.in_force = self.looks <= 0
        self.queue_active = self.looks <= 0
        return super().get(api_version, kind, name, namespace)


def test_a_controller_that_takes_its_time_is_waited_for() -> None:
    cluster = Slow()
    place = {"name": "gpu-quota", "namespace": "team-nlp"}
    cluster.put({"kind": "ResourceQuota", "metadata": place, "spec": {"hard": {GPU: "1"}}})
    found, late = await_quotas(cluster, "team-nlp", ["gpu-quota"], 5)
    assert late == ()
    assert found is not None
    assert found["status"]["hard"] == {GPU: "1"}
    cluster.looks = 3
    cluster.put({"kind": "LocalQueue", "metadata": {"name": "q", "namespace": "team-nlp"}})
    assert await_queue(cluster, "kueue.x-k8s.io/v1beta2", "team-nlp", "q", 5).active


def test_the_deadline_is_kept_also_for_a_quota_that_vanished() -> None:
    started = time.monotonic()
    found, late = await_quotas(MemoryCluster(), "team-nlp", ["gpu-quota"], 0.2)
    assert (found, late) == (None, ("gpu-quota",))
    assert time.monotonic() - started < 1
