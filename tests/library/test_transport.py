"""Behind a proxy, requests with a body do not wait for an acknowledgement."""

from __future__ import annotations

import socket

from gpuplatform.azure.transport import transport


def test_sockets_to_a_proxy_do_not_delay() -> None:
    with transport(5) as opened:
        manager = opened.session.get_adapter("https://management.azure.com").proxy_manager_for(
            "http://127.0.0.1:1"
        )
        pool = manager.connection_from_host("management.azure.com", 443, "https")
        assert (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1) in pool.conn_kw["socket_options"]
