"""Compute usages: vCPU quota and use per family in one region."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.catalog import normalize_location
from sandbox.arm.errors import ArmError
from sandbox.arm.messages import ArmRequest, Reply, page
from sandbox.arm.routes import Route
from sandbox.arm.schema import api_versions

if TYPE_CHECKING:
    from sandbox.arm.context import Context

VERSIONS = api_versions("Microsoft.Compute/virtualMachines")
PAGE_SIZE = 40  # fewer than there are rows: a client that reads one page only misses some


async def list_usages(ctx: Context, request: ArmRequest) -> Reply:
    location = normalize_location(request.parameters["location"])
    if location not in ctx.catalog.locations:
        raise ArmError(
            400,
            "NoRegisteredProviderFound",
            f"No registered resource provider found for location '{location}' and API version "
            f"'{request.api_version}' for type 'locations/usages'. The supported api-versions are "
            f"'{', '.join(VERSIONS)}'. The supported locations are '{', '.join(ctx.catalog.locations)}'.",
        )
    return page(request, ctx.quota.rows(request.parameters["subscription"], location), PAGE_SIZE)


ROUTES = [
    Route(
        "GET",
        "/subscriptions/{subscription}/providers/Microsoft.Compute/locations/{location}/usages",
        list_usages,
        VERSIONS,
        "Microsoft.Compute/locations/usages/read",
    )
]
