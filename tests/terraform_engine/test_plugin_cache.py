"""A shared plugin cache is used by one init at a time."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from gpuplatform.errors import DeadlineExceeded
from gpuplatform.terraform.plugin_cache import plugin_cache_lock


def test_one_at_a_time(tmp_path: Path) -> None:
    environment = {"TF_PLUGIN_CACHE_DIR": str(tmp_path / "cache")}
    inside = 0
    most = 0

    def use() -> None:
        nonlocal inside, most
        with plugin_cache_lock(environment, 10):
            inside += 1
            most = max(most, inside)
            time.sleep(0.05)
            inside -= 1

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert most == 1


def test_the_wait_has_a_deadline(tmp_path: Path) -> None:
    environment = {"TF_PLUGIN_CACHE_DIR": str(tmp_path)}
    with (
        plugin_cache_lock(environment, 1),
        pytest.raises(DeadlineExceeded, match=r"plugin cache .* for 0\.1 s"),
        plugin_cache_lock(environment, 0.1),
    ):
        pass


def test_without_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with plugin_cache_lock({}, 1), plugin_cache_lock({}, 1):
        assert not list(tmp_path.iterdir())
