"""The Kubernetes versions a cluster may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.errors import ArmError
from sandbox.arm.messages import ArmRequest, Reply
from sandbox.arm.routes import Route
from sandbox.arm.schema import api_versions

if TYPE_CHECKING:
    from sandbox.arm.context import Context

PATCHES = {  # minor → patches, oldest first
    "1.31": ("1.31.11", "1.31.13"),
    "1.32": ("1.32.7", "1.32.9"),
    "1.33": ("1.33.4", "1.33.5"),
    "1.34": ("1.34.0", "1.34.1"),
    "1.35": ("1.35.0",),
}
DEFAULT = "1.33"


def resolve(wanted: str, what: str) -> str:
    """The patch version that a minor or full version stands for; empty means the default.

    Raises:
        ArmError: 400 K8sVersionNotSupported.
    """
    version = wanted or DEFAULT
    minor = ".".join(version.split(".")[:2])
    if version in PATCHES:
        return PATCHES[version][-1]
    if version in PATCHES.get(minor, ()):
        return version
    raise ArmError(
        400,
        "K8sVersionNotSupported",
        f"{what} is on version {wanted}, which is not supported in this region. Please use [az aks "
        "get-versions] "
        "command to get the supported version list in this region. For more information, please check "
        "https://aka.ms/supported-version-list",
    )


def newer(version: str) -> list[str]:
    """Versions a cluster can be upgraded to: later patches, and those of the next minor."""
    minor = int(version.split(".")[1])
    found = [
        patch
        for name, patches in PATCHES.items()
        for patch in patches
        if int(name.split(".")[1]) in {minor, minor + 1}
    ]
    return [patch for patch in found if _key(patch) > _key(version)]


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


async def list_versions(ctx: Context, request: ArmRequest) -> Reply:  # noqa: ARG001  # a handler's signature
    values = [
        {
            "version": minor,
            "isDefault": minor == DEFAULT,
            "isPreview": False,
            "capabilities": {"supportPlan": ["KubernetesOfficial", "AKSLongTermSupport"]},
            "patchVersions": {patch: {"upgrades": newer(patch)} for patch in patches},
        }
        for minor, patches in reversed(PATCHES.items())
    ]
    return Reply(200, {"values": values})


ROUTES = [
    Route(
        "GET",
        "/subscriptions/{subscription}/providers/Microsoft.ContainerService/locations/{location}/kubernetesVersions",
        list_versions,
        api_versions("Microsoft.ContainerService/managedClusters"),
        "Microsoft.ContainerService/locations/kubernetesVersions/read",
    )
]
