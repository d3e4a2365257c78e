"""A cluster in a process of its own, as clients see one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

TOKEN = "administrator"
MEMBER = "member"
_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Server:
    """Where the cluster answers, and what clients need to trust it."""

    url: str
    ca_file: Path
    kubeconfig: Path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("cluster")
    command = [sys.executable, "-m", "tests.sandbox.kubernetes.serve", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            assert url.startswith("https://127.0.0.1:"), f"the server did not start: {url!r}"
            yield Server(url, folder / "ca.pem", folder / "kubeconfig")
        finally:
            process.terminate()
            process.wait(10)
