"""The process side of a Terraform plugin: certificate, socket, handshake line, shutdown."""

from __future__ import annotations

import base64
import os
import sys
import tempfile
import threading
from concurrent import futures
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc  # type: ignore[import-untyped]  # has no types
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tf.gen import grpc_controller_pb2 as controller  # type: ignore[import-untyped]  # not marked as typed
from tf.gen import grpc_controller_pb2_grpc as controller_rpc
from tf.gen import grpc_stdio_pb2_grpc as stdio_rpc
from tf.gen import tfplugin_pb2_grpc as rpc

from sandbox.terraform_provider.servicer import Servicer

__all__ = ["serve"]

# Terraform walks the graph with ten workers by default; some calls (stop) come besides.
_THREADS = 16
_WATCH = 1.0  # seconds between looks whether Terraform is still there
_GRACE = 1.0  # seconds for running calls at shutdown; Terraform kills the process after two


class _Controller(controller_rpc.GRPCControllerServicer):  # type: ignore[misc]  # generated without types
    def __init__(self, finished: threading.Event) -> None:
        self._finished = finished

    def Shutdown(self, request: Any, context: Any) -> controller.Empty:  # noqa: ARG002, N802  # the protocol's
        self._finished.set()
        return controller.Empty()


class _Stdio(stdio_rpc.GRPCStdioServicer):  # type: ignore[misc]  # generated without types
    def StreamStdio(self, request: Any, context: Any) -> Any:  # noqa: ARG002, N802  # the protocol's
        return iter(())  # nothing is written to the standard streams


def _certificate() -> tuple[bytes, bytes, bytes]:
    """A key and a self-signed certificate for this process alone: key PEM, certificate PEM and DER."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return (
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
        certificate.public_bytes(serialization.Encoding.PEM),
        certificate.public_bytes(serialization.Encoding.DER),
    )


def serve() -> int:
    """Serve until Terraform says shutdown or is gone; the exit code.

    The socket lies in a directory that only this user can enter. Terraform gets the certificate in
    the handshake line and trusts no other.
    """
    finished = threading.Event()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=_THREADS))
    servicer = Servicer()
    rpc.add_ProviderServicer_to_server(servicer, server)
    controller_rpc.add_GRPCControllerServicer_to_server(_Controller(finished), server)
    stdio_rpc.add_GRPCStdioServicer_to_server(_Stdio(), server)
    key, pem, der = _certificate()
    with tempfile.TemporaryDirectory(prefix="tf-plugin-") as directory:
        socket = Path(directory) / "plugin.sock"
        server.add_secure_port(f"unix://{socket}", grpc.ssl_server_credentials([(key, pem)]))
        server.start()
        encoded = base64.b64encode(der).decode().rstrip("=")
        sys.stdout.write(f"1|6|unix|{socket}|grpc|{encoded}\n")
        sys.stdout.flush()
        parent = os.getppid()
        while not finished.wait(_WATCH) and os.getppid() == parent:
            pass
        servicer.stop.set()  # ends what would otherwise keep a thread, and so the process
        server.stop(_GRACE).wait()
    return 0
