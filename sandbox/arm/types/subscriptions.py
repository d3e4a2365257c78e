"""Tenants, subscriptions and their locations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.messages import ArmRequest, Reply, page
from sandbox.arm.routes import Route

if TYPE_CHECKING:
    from sandbox.arm.context import Context

VERSIONS = (
    "2016-06-01", "2018-06-01", "2019-06-01", "2019-11-01", "2020-01-01", "2020-06-01", "2021-01-01",
    "2022-09-01", "2022-12-01", "2024-11-01",
)  # fmt: skip


def _shown(ctx: Context, identifier: str, name: str) -> dict[str, Any]:
    return {
        "id": f"/subscriptions/{identifier}",
        "authorizationSource": "RoleBased",
        "managedByTenants": [],
        "subscriptionId": identifier,
        "tenantId": ctx.identity.tenant_id,
        "displayName": name,
        "state": "Enabled",
        "subscriptionPolicies": {
            "locationPlacementId": "Public_2014-09-01",
            "quotaId": "PayAsYouGo_2014-09-01",
            "spendingLimit": "Off",
        },
    }


async def list_subscriptions(ctx: Context, request: ArmRequest) -> Reply:
    """Those where the caller holds a role."""
    rows = [
        _shown(ctx, identifier, name)
        for identifier, name in ctx.subscriptions().items()
        if ctx.roles.visible(request.principal, f"/subscriptions/{identifier}")
    ]
    reply = page(request, rows)
    reply.body["count"] = {"type": "Total", "value": len(rows)}
    return reply


async def get_subscription(ctx: Context, request: ArmRequest) -> Reply:
    wanted = request.parameters["subscription"].lower()
    found = {key.lower(): (key, name) for key, name in ctx.subscriptions().items()}[wanted]
    return Reply(200, _shown(ctx, *found))


async def list_locations(ctx: Context, request: ArmRequest) -> Reply:
    subscription = request.parameters["subscription"]
    rows = [
        {
            "id": f"/subscriptions/{subscription}/locations/{location.name}",
            "name": location.name,
            "type": "Region",
            "displayName": location.display_name,
            "regionalDisplayName": f"({location.geography_group}) {location.display_name}",
            "metadata": {
                "regionType": "Physical",
                "regionCategory": "Recommended" if location.zones else "Other",
                "geography": location.geography,
                "geographyGroup": location.geography_group,
            },
            "availabilityZoneMappings": [
                {"logicalZone": zone, "physicalZone": f"{location.name}-az{zone}"} for zone in location.zones
            ],
        }
        for location in ctx.catalog.locations.values()
    ]
    return Reply(200, {"value": rows})


async def list_tenants(ctx: Context, request: ArmRequest) -> Reply:
    tenant = {
        "id": f"/tenants/{ctx.identity.tenant_id}",
        "tenantId": ctx.identity.tenant_id,
        "displayName": "Local tenant",
        "tenantCategory": "Home",
        "countryCode": "US",
        "defaultDomain": "local.onmicrosoft.com",
        "domains": ["local.onmicrosoft.com"],
        "tenantType": "AAD",
    }
    return page(request, [tenant])


_READ = "Microsoft.Resources/subscriptions/read"
_SUBSCRIPTION = "/subscriptions/{subscription}"
ROUTES = [
    Route("GET", "/subscriptions", list_subscriptions, VERSIONS),
    Route("GET", "/tenants", list_tenants, VERSIONS),
    Route("GET", _SUBSCRIPTION, get_subscription, VERSIONS, _READ),
    Route(
        "GET",
        f"{_SUBSCRIPTION}/locations",
        list_locations,
        VERSIONS,
        "Microsoft.Resources/subscriptions/locations/read",
    ),
]
