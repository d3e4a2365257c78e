"""A cluster behind TLS on loopback, as a program: `python -m tests.sandbox.kubernetes.serve FOLDER`.

Writes `ca.pem` and `kubeconfig` into the folder, prints its address, and runs until it is terminated.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from pathlib import Path

import trustme
import yaml
from aiohttp import web

from sandbox.kubernetes.clusters import Clusters, NodeSpec, User
from sandbox.state import State

USERS = {"administrator": User("admin", ("system:masters",)), "member": User("jane", ("team-a",))}


def node(name: str, *, gpus: int = 0) -> NodeSpec:
    return NodeSpec(
        name=name,
        pool="gpu" if gpus else "system",
        mode="User" if gpus else "System",
        vm_size="Standard_NC24ads_A100_v4" if gpus else "Standard_D4s_v5",
        labels={"pool": "gpu"} if gpus else {},
        taints=(),
        zone="1",
        region="westeurope",
        cpus=24 if gpus else 4,
        memory_mib=225280 if gpus else 16384,
        gpus=gpus,
        gpu_model="A100" if gpus else None,
        kubernetes_version="1.33.5",
        spot=False,
    )


def write_kubeconfig(folder: Path, url: str, token: str) -> None:
    cluster = {"server": url, "certificate-authority": str(folder / "ca.pem")}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": {"token": token}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "c",
    }
    (folder / "kubeconfig").write_text(yaml.safe_dump(config), encoding="utf-8")


async def serve(folder: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    clusters = Clusters(State(), lambda _host, token: USERS.get(token))
    clusters.create("127.0.0.1", kubernetes_version="1.33.5")
    clusters.set_nodes("127.0.0.1", [node("aks-system-1-vmss000000"), node("aks-gpu-1-vmss000000", gpus=2)])
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", clusters.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    url = f"https://127.0.0.1:{runner.addresses[0][1]}"
    write_kubeconfig(folder, url, "administrator")
    print(url, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
