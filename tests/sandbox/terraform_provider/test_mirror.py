"""The mirror, and the plugin as a process that Terraform's handshake works with."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import grpc  # type: ignore[import-untyped]  # has no types
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from tf.gen import grpc_controller_pb2 as controller  # type: ignore[import-untyped]  # not marked as typed
from tf.gen import grpc_controller_pb2_grpc as controller_rpc
from tf.gen import tfplugin_pb2 as pb
from tf.gen import tfplugin_pb2_grpc as rpc

from sandbox.terraform_provider import mirror

# What Terraform sets for its plugins: go-plugin's guard, no secret.
COOKIE = {"TF_PLUGIN_MAGIC_COOKIE": "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"}


def plugin_of(config: Path) -> Path:
    package = config.parent / "mirror/registry.terraform.io/hashicorp/azurerm/5.2.0" / mirror.platform_tag()
    return package / "terraform-provider-azurerm_v5.2.0"


def test_laying_it_twice_changes_nothing(tmp_path: Path) -> None:
    config = mirror.lay_mirror(tmp_path, Path(sys.executable))
    files = sorted(p for p in tmp_path.rglob("*") if p.is_file())
    before = [(p.read_bytes(), p.stat().st_mtime_ns) for p in files]
    assert mirror.lay_mirror(tmp_path, Path(sys.executable)) == config
    assert [(p.read_bytes(), p.stat().st_mtime_ns) for p in files] == before
    assert files == sorted([config, plugin_of(config)])


def test_a_changed_file_is_put_right(tmp_path: Path) -> None:
    config = mirror.lay_mirror(tmp_path, Path(sys.executable))
    plugin = plugin_of(config)
    right = plugin.read_bytes()
    plugin.write_text("broken")
    plugin.chmod(0o600)
    mirror.lay_mirror(tmp_path, Path(sys.executable))
    assert plugin.read_bytes() == right
    assert os.access(plugin, os.X_OK)


def test_paths_with_spaces_and_quotes(tmp_path: Path) -> None:
    odd = tmp_path / 'it\'s a "place"'
    odd.mkdir()
    config = mirror.lay_mirror(odd, Path(sys.executable))
    done = subprocess.run([plugin_of(config)], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 1
    assert done.stderr == "This is a Terraform provider: Terraform starts it, it does nothing by itself.\n"


def test_the_working_directory_cannot_shadow_the_package(tmp_path: Path) -> None:
    config = mirror.lay_mirror(tmp_path, Path(sys.executable))
    (tmp_path / "sandbox").mkdir()
    (tmp_path / "sandbox/__init__.py").write_text("raise RuntimeError('shadowed')")
    done = subprocess.run(
        [plugin_of(config)], capture_output=True, text=True, timeout=30, check=False, cwd=tmp_path
    )
    assert "shadowed" not in done.stderr


@pytest.mark.parametrize(
    ("system", "machine", "tag"),
    [
        ("Darwin", "arm64", "darwin_arm64"),
        ("Linux", "aarch64", "linux_arm64"),
        ("Linux", "x86_64", "linux_amd64"),
    ],
)
def test_platform_tags(monkeypatch: pytest.MonkeyPatch, system: str, machine: str, tag: str) -> None:
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert mirror.platform_tag() == tag


def test_handshake_schema_and_shutdown(tmp_path: Path) -> None:
    config = mirror.lay_mirror(tmp_path, Path(sys.executable))
    with subprocess.Popen(
        [plugin_of(config)], stdout=subprocess.PIPE, text=True, env={**os.environ, **COOKIE}, cwd=tmp_path
    ) as process:
        try:
            assert process.stdout is not None
            core, protocol, network, address, kind, encoded = process.stdout.readline().strip().split("|")
            assert (core, protocol, network, kind) == ("1", "6", "unix", "grpc")
            assert Path(address).parent.stat().st_mode & 0o077 == 0
            der = base64.b64decode(encoded + "=" * (-len(encoded) % 4))
            pem = x509.load_der_x509_certificate(der).public_bytes(Encoding.PEM)
            options = (
                ("grpc.ssl_target_name_override", "localhost"),
                ("grpc.default_authority", "localhost"),
            )
            with grpc.secure_channel(
                f"unix://{address}", grpc.ssl_channel_credentials(pem), options
            ) as channel:
                provider = rpc.ProviderStub(channel)
                answer = provider.GetProviderSchema(pb.GetProviderSchema.Request(), timeout=20)
                assert "azurerm_kubernetes_cluster" in answer.resource_schemas
                assert answer.resource_schemas["azurerm_kubernetes_cluster_node_pool"].version == 1
                stub = controller_rpc.GRPCControllerStub(channel)
                stub.Shutdown(controller.Empty(), timeout=20)
            assert process.wait(timeout=20) == 0
            assert not Path(address).parent.exists()
        finally:
            process.kill()


def test_the_plugin_outlives_a_term_but_not_terraform(tmp_path: Path) -> None:
    config = mirror.lay_mirror(tmp_path, Path(sys.executable))
    starter = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.argv[1]], stdout=subprocess.PIPE, text=True)\n"
        "print(child.pid, child.stdout.readline().split('|')[3], flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", starter, str(plugin_of(config))]
    environment = {**os.environ, **COOKIE}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        try:
            assert parent.stdout is not None
            pid, address = parent.stdout.readline().split()
            os.kill(int(pid), signal.SIGTERM)
            time.sleep(1.5)
            assert Path(address).exists()
        finally:
            parent.kill()
    deadline = time.monotonic() + 20
    while Path(address).parent.exists():
        assert time.monotonic() < deadline, "the plugin is still there"
        time.sleep(0.1)
