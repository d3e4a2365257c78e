"""Checks of a VM size that machines, node pools and reservations have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.errors import ArmError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.arm.catalog import Size
    from sandbox.arm.context import Context

__all__ = ["require_size"]


def require_size(ctx: Context, name: str, location: str, zones: Sequence[str], what: str) -> Size:
    """The size, when it exists, the region offers it and this subscription may use it there.

    Raises:
        ArmError: 400 InvalidParameter for an unknown size, 409 SkuNotAvailable for a restricted one.
    """
    size = ctx.catalog.size(name)
    if size is None or not ctx.catalog.offered(size, location):
        raise ArmError(
            400,
            "InvalidParameter",
            f"The value {name} provided for the VM size is not valid. The valid sizes in the current region "
            "are "
            "listed by the resource SKUs API.",
            target="vmSize",
        )
    restriction = ctx.catalog.restriction(size, location)
    if restriction is None:
        return size
    blocked = restriction.get("zones")
    if blocked is None or set(zones) & set(blocked):
        where = f" zones '{','.join(zones)}'" if zones else ""
        raise ArmError(
            409,
            "SkuNotAvailable",
            f"The requested size for resource '{what}' is currently not available in location "
            f"'{location}'{where} for "
            f"subscription '{what.split('/')[2]}'. Please try another size or deploy to a different location "
            "or "
            "zones. See https://aka.ms/azureskunotavailable for details.",
        )
    return size
