"""Resource providers: what is registered, and which types and api-versions each has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError
from sandbox.arm.messages import ArmRequest, Reply, page
from sandbox.arm.routes import Route

if TYPE_CHECKING:
    from sandbox.arm.context import Context

VERSIONS = (
    "2019-10-01", "2020-06-01", "2020-10-01", "2021-04-01", "2022-09-01", "2023-07-01", "2024-03-01",
    "2024-07-01", "2024-11-01", "2025-03-01", "2025-04-01",
)  # fmt: skip


def _providers(ctx: Context, subscription: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    locations = [location.display_name for location in ctx.catalog.locations.values()]
    for kind in ctx.types.values():
        namespace, short = kind.name.split("/", 1)
        provider = found.setdefault(
            namespace.lower(),
            {
                "id": f"/subscriptions/{subscription}/providers/{namespace}",
                "namespace": namespace,
                "registrationState": "Registered",
                "registrationPolicy": "RegistrationRequired",
                "resourceTypes": [],
            },
        )
        provider["resourceTypes"].append(
            {
                "resourceType": short,
                "locations": locations if kind.located else [],
                "apiVersions": sorted(kind.api_versions(), reverse=True),
                "capabilities": "SupportsTags, SupportsLocation" if kind.located else "None",
            }
        )
    return found


async def list_providers(ctx: Context, request: ArmRequest) -> Reply:
    return page(request, list(_providers(ctx, request.parameters["subscription"]).values()))


async def get_provider(ctx: Context, request: ArmRequest) -> Reply:
    namespace = request.parameters["namespace"]
    provider = _providers(ctx, request.parameters["subscription"]).get(namespace.lower())
    if provider is None:
        raise ArmError(
            404,
            "InvalidResourceNamespace",
            f"The resource namespace '{namespace}' is invalid. (The sandbox does not emulate it.)",
        )
    return Reply(200, provider)


_ONE = "/subscriptions/{subscription}/providers/{namespace}"
ROUTES = [
    Route(
        "GET",
        "/subscriptions/{subscription}/providers",
        list_providers,
        VERSIONS,
        "Microsoft.Resources/subscriptions/providers/read",
    ),
    Route("GET", _ONE, get_provider, VERSIONS, "Microsoft.Resources/subscriptions/providers/read"),
    # Everything the sandbox emulates is registered already, so this only says so.
    Route(
        "POST", f"{_ONE}/register", get_provider, VERSIONS, "Microsoft.Resources/providers/register/action"
    ),
]
