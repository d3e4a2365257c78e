"""A cluster with more nodes than a page holds."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import trustme

from gpuplatform.gpu.client_nodes import list_nodes
from gpuplatform.kubernetes.client import api_client
from gpuplatform.kubernetes.cluster import Cluster
from gpuplatform.kubernetes.kubeconfig import ClusterAccess


def node(name: str) -> dict[str, Any]:
    labels = {"kubernetes.azure.com/agentpool": "gpu"}
    return {"metadata": {"name": name, "creationTimestamp": "2026-12-01T00:00:00Z", "labels": labels}}


PAGES = {None: ("more", [node("a"), node("b")]), "more": ("", [node("c")])}


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        token = parse_qs(urlsplit(self.path).query).get("continue", [None])[0]
        following, items = PAGES[token]
        body = {"kind": "NodeList", "apiVersion": "v1", "metadata": {"continue": following}, "items": items}
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    authority = trustme.CA()
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    httpd.socket = context.wrap_socket(httpd.socket, server_side=True)
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    url = f"https://127.0.0.1:{httpd.server_port}"
    api = api_client(ClusterAccess(url, authority.cert_pem.bytes(), token="t"), tmp_path, 5, None)
    yield Cluster("aks", url, api, tmp_path)
    api.rest_client.close()
    httpd.shutdown()
    thread.join(5)
    httpd.server_close()


def test_all_pages_are_read(cluster: Cluster) -> None:
    found = list_nodes(cluster)
    assert [(pool, item.name) for pool, item in found] == [("gpu", "a"), ("gpu", "b"), ("gpu", "c")]
