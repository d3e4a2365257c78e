"""The SDK's client against an HTTPS server of ours: trust, token, deadline, no hidden waiting."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme
from azure.core.credentials import AccessToken
from kubernetes.client import VersionApi

from gpuplatform.errors import PlatformError, Retryable
from gpuplatform.kubernetes.client import AKS_SCOPE, EntraTokens, api_client
from gpuplatform.kubernetes.errors import kubernetes_errors
from gpuplatform.kubernetes.kubeconfig import ClusterAccess


@dataclass
class Server:
    url: str
    authority: bytes
    seen: list[str | None] = field(default_factory=list)
    status: int = 200
    delay: float = 0
    headers: dict[str, str] = field(default_factory=dict)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    authority = trustme.CA()
    state = Server("", authority.cert_pem.bytes())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.seen.append(self.headers.get("authorization"))
            time.sleep(state.delay)
            version = dict.fromkeys(
                ("major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion",
                 "compiler", "platform"), "1"
            )  # fmt: skip
            body = json.dumps(version if state.status == 200 else {"message": "slow down"}).encode()
            try:
                self.send_response(state.status)
                for key, value in state.headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
                pass  # the client gave up, which is what the test wants

        def log_message(self, *_: Any) -> None:
            """Nothing on the terminal."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    httpd.socket = context.wrap_socket(httpd.socket, server_side=True)
    state.url = f"https://127.0.0.1:{httpd.server_port}"
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    yield state
    httpd.shutdown()
    thread.join(5)
    httpd.server_close()


def ask(server: Server, tmp_path: Path, authority: bytes, timeout: float = 5, **access: Any) -> Any:
    renew = access.pop("renew", None)
    client = api_client(ClusterAccess(server.url, authority, **access), tmp_path, timeout, renew)
    try:
        with kubernetes_errors("asking for the version"):
            return VersionApi(client).get_code()
    finally:
        client.rest_client.close()


def test_it_trusts_the_clusters_authority_and_sends_the_token(server: Server, tmp_path: Path) -> None:
    assert ask(server, tmp_path, server.authority, token="abc").major == "1"
    assert server.seen == ["Bearer abc"]


def test_another_authority_is_refused(server: Server, tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match="certificate verify failed") as caught:
        ask(server, tmp_path, trustme.CA().cert_pem.bytes(), token="abc")
    assert not isinstance(caught.value, Retryable)
    assert server.seen == []


def test_the_token_is_renewed_for_each_request(server: Server, tmp_path: Path) -> None:
    tokens = iter(["one", "two", "three", "four", "five"])
    ask(server, tmp_path, server.authority, renew=lambda: next(tokens))
    assert server.seen[0] is not None
    assert server.seen[0] != "Bearer one"  # `one` was for the start; the request asked for its own


def test_a_silent_server_meets_the_deadline(server: Server, tmp_path: Path) -> None:
    server.delay = 3
    started = time.monotonic()
    with pytest.raises(Retryable, match="did not answer"):
        ask(server, tmp_path, server.authority, timeout=0.3, token="abc")
    assert time.monotonic() - started < 2


def test_retry_after_is_reported_and_not_slept(server: Server, tmp_path: Path) -> None:
    server.status, server.headers = 429, {"Retry-After": "600"}
    with pytest.raises(Retryable) as caught:
        ask(server, tmp_path, server.authority, token="abc")
    assert caught.value.retry_after is not None
    assert caught.value.retry_after.total_seconds() == 600
    assert len(server.seen) == 1


class Credential:
    def __init__(self, lifetime: float) -> None:
        self.lifetime, self.asked = lifetime, 0

    def get_token(self, *scopes: str, **_: Any) -> AccessToken:
        assert scopes == (AKS_SCOPE,)
        self.asked += 1
        return AccessToken(f"token-{self.asked}", int(time.time() + self.lifetime))


@pytest.mark.parametrize(("lifetime", "asked"), [(3_600, 1), (60, 3)])
def test_tokens_are_kept_until_shortly_before_they_expire(lifetime: float, asked: int) -> None:
    credential = Credential(lifetime)
    tokens = EntraTokens(credential)
    for _ in range(3):
        tokens.get()
    assert credential.asked == asked
