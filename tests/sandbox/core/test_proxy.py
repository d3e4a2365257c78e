"""The proxy and the TLS port behind it."""

from __future__ import annotations

import asyncio
import ssl

import httpx
import pytest
from aiohttp import web

from sandbox import proxy as proxy_module
from sandbox.hosts import Hosts, bare
from tests.sandbox.core.conftest import Core


async def talk(port: int, request: bytes, *, end: bool = False) -> tuple[str, str]:
    """Status line and last line of the answer to raw bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    if end:
        writer.write_eof()
    async with asyncio.timeout(5):
        answer = (await reader.read()).decode()
    writer.close()
    lines = answer.strip().split("\r\n")
    return lines[0], lines[-1]


@pytest.mark.parametrize(
    ("request_head", "status", "sentence"),
    [
        (b"CONNECT example.org:443 HTTP/1.1\r\n\r\n", "403", 'refuses "example.org" and forwards nothing'),
        (b"CONNECT nobody.blob.core.windows.net:443 HTTP/1.1\r\n\r\n", "403", "no such account"),
        (b"CONNECT login.microsoftonline.com:80 HTTP/1.1\r\n\r\n", "403", "on port 443 only, not on 80"),
        (b"CONNECT login.microsoftonline.com HTTP/1.1\r\n\r\n", "400", "CONNECT needs host:port"),
        (b"GET http://example.org/x?secret=1 HTTP/1.1\r\n\r\n", "405", "GET http://example.org/x."),
        (b"\x16\x03\x01\x02\x00\r\n\r\n", "400", "that was no HTTP/1 request"),
        (b"CONNECT a:443 HTTP/1.1\r\nX: " + b"x" * 70000 + b"\r\n\r\n", "431", "headers exceed"),
    ],
)
async def test_what_is_not_served_gets_one_sentence(
    core: Core, request_head: bytes, status: str, sentence: str
) -> None:
    line, body = await talk(core.proxy_port, request_head)
    assert line.split(" ")[1] == status
    assert sentence in body
    assert "secret" not in body


async def test_a_request_cut_short_is_answered(core: Core) -> None:
    line, _ = await talk(core.proxy_port, b"CONNECT login", end=True)
    assert line.startswith("HTTP/1.1 400")


async def test_a_client_that_sends_nothing_more_is_let_go(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy_module, "REQUEST_SECONDS", 0.2)
    line, _ = await talk(core.proxy_port, b"CONNECT login.microsoft")
    assert line.startswith("HTTP/1.1 408")


async def test_many_clients_at_once_and_large_bodies(core: Core) -> None:
    async def echo(request: web.Request) -> web.StreamResponse:
        return web.Response(body=await request.read())

    core.hosts.register("management.azure.com", echo)
    body = b"x" * 3_000_000
    async with httpx.AsyncClient(timeout=30) as client:
        answers = await asyncio.gather(
            *(client.post("https://management.azure.com/echo", content=body) for _ in range(20))
        )
    assert all(answer.content == body for answer in answers)


async def test_a_slow_reader_gets_everything(core: Core) -> None:
    async def large(_: web.Request) -> web.StreamResponse:
        return web.Response(body=b"y" * 8_000_000)

    core.hosts.register("management.azure.com", large)
    received = 0
    async with (
        httpx.AsyncClient(timeout=30) as client,
        client.stream("GET", "https://management.azure.com/") as answer,
    ):
        async for chunk in answer.aiter_bytes(1_000_000):
            received += len(chunk)
            await asyncio.sleep(0.02)
    assert received == 8_000_000


async def test_the_server_may_end_the_connection_first(core: Core) -> None:
    async def last(_: web.Request) -> web.StreamResponse:
        response = web.Response(text="bye")
        response.force_close()
        return response

    core.hosts.register("management.azure.com", last)
    async with httpx.AsyncClient() as client:
        for _ in range(3):
            assert (await client.get("https://management.azure.com/")).text == "bye"


async def test_each_host_gets_a_certificate_of_its_own_name(core: Core) -> None:
    host = "aks-ai-dev-1a2b3c4d.hcp.eastus2.azmk8s.io"

    async def hello(_: web.Request) -> web.StreamResponse:
        return web.Response(text="hello")

    core.hosts.register("*.azmk8s.io", hello)
    async with httpx.AsyncClient() as client:
        assert (await client.get(f"https://{host}/")).text == "hello"
        assert (await client.get("https://a.b.c.d.azmk8s.io/")).text == "hello"


async def test_who_does_not_trust_the_ca_does_not_connect(core: Core) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with pytest.raises(ssl.SSLCertVerificationError):
        await asyncio.open_connection(
            "127.0.0.1", core.tls_port, ssl=context, server_hostname="management.azure.com"
        )


@pytest.mark.usefixtures("core")
async def test_a_host_header_nobody_serves_is_misdirected() -> None:
    async with httpx.AsyncClient() as client:
        answer = await client.get("https://graph.microsoft.com/", headers={"Host": "example.org"})
    assert answer.status_code == 421


async def test_a_fault_of_ours_is_an_error_that_says_so(core: Core, caplog: pytest.LogCaptureFixture) -> None:
    async def broken(_: web.Request) -> web.StreamResponse:
        raise ZeroDivisionError

    core.hosts.register("management.azure.com", broken)
    async with httpx.AsyncClient() as client:
        answer = await client.get("https://management.azure.com/subscriptions?secret=1")
    assert answer.status_code == 500
    assert "The sandbox itself failed on GET /subscriptions;" in answer.json()["error"]["message"]
    assert "ZeroDivisionError" in caplog.text
    assert "secret" not in caplog.text


async def test_a_fault_after_the_answer_began_breaks_the_connection(core: Core) -> None:
    async def broken(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"begun")
        raise ZeroDivisionError

    core.hosts.register("management.azure.com", broken)
    async with httpx.AsyncClient() as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get("https://management.azure.com/")


def test_the_first_pattern_wins_and_names_are_compared_bare() -> None:
    async def first(_: web.Request) -> web.StreamResponse:
        return web.Response()

    async def second(_: web.Request) -> web.StreamResponse:
        return web.Response()

    hosts = Hosts()
    hosts.register("one.azmk8s.io", first)
    hosts.register("*.azmk8s.io", second)
    assert hosts.find("ONE.azmk8s.io:443") is first
    assert hosts.find("two.azmk8s.io.") is second
    hosts.unregister("one.azmk8s.io")
    assert hosts.find("one.azmk8s.io") is second
    assert hosts.find("azmk8s.io") is None
    assert bare(" A.b:443 ") == "a.b"
