"""The sandbox's own certificate authority, and a certificate for each host name as it is asked for."""

from __future__ import annotations

import ssl
from pathlib import Path

import trustme

from sandbox.private_files import make_private_folder, write_private

__all__ = ["Certificates"]


class Certificates:
    """Kept in a folder: `ca.pem` is what clients are to trust, `ca.key` stays private (0600)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.ca_file = folder / "ca.pem"
        key_file = folder / "ca.key"
        make_private_folder(folder)
        if self.ca_file.exists() and key_file.exists():
            self._ca = trustme.CA.from_pem(self.ca_file.read_bytes(), key_file.read_bytes())
        else:
            self._ca = trustme.CA(
                organization_name="azure-gpu-platform", organization_unit_name="local sandbox"
            )
            write_private(key_file, self._ca.private_key_pem.bytes())
            write_private(self.ca_file, self._ca.cert_pem.bytes())
        self._contexts: dict[str, ssl.SSLContext] = {}

    @property
    def ca_pem(self) -> bytes:
        return self._ca.cert_pem.bytes()

    def server_context(self) -> ssl.SSLContext:
        """For a listening socket: each connection gets a certificate for the name it asks for.

        A wildcard covers one label only, and the names of clusters have several, so certificates are
        made per name and kept in memory.
        """
        context = self._context("localhost")

        def choose(connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
            if name:
                connection.context = self._context(name.lower())

        context.sni_callback = choose
        return context

    def client_context(self) -> ssl.SSLContext:
        """Trusts this authority and no other."""
        return ssl.create_default_context(cadata=self.ca_pem.decode())

    def loopback_files(self) -> tuple[Path, Path]:
        """A certificate and its key for 127.0.0.1, as files for a child process."""
        certificate, key = self._folder / "loopback.pem", self._folder / "loopback.key"
        leaf = self._ca.issue_cert("127.0.0.1", "localhost")
        write_private(key, leaf.private_key_pem.bytes())
        write_private(certificate, b"".join(pem.bytes() for pem in leaf.cert_chain_pems))
        return certificate, key

    def _context(self, name: str) -> ssl.SSLContext:
        if name not in self._contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            context.set_alpn_protocols(["http/1.1"])
            self._ca.issue_cert(name).configure_cert(context)
            self._contexts[name] = context
        return self._contexts[name]
