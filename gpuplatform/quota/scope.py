"""What a quota sweep looks at: the regions and subscriptions that were named, or the platform's own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

from gpuplatform.environments import EnvironmentName, load_environment
from gpuplatform.errors import InvalidInput
from gpuplatform.settings import Settings

__all__ = ["SweepScope", "sweep_scope"]


@dataclass(frozen=True)
class SweepScope:
    """Every region is read in every subscription."""

    regions: tuple[str, ...]
    subscription_ids: tuple[str, ...]


def sweep_scope(
    regions: list[str] | None, subscription_ids: list[str] | None, settings: Settings
) -> SweepScope:
    """The scope, without repetitions. A region may be written as people do: `East US 2` is eastus2.

    Raises:
        InvalidInput: something is not a region's name or a subscription id, or no subscription is known.
    """
    named = regions or [load_environment(name, settings.home).location for name in EnvironmentName]
    own = [settings.subscription_id] if settings.subscription_id else []
    subscriptions = subscription_ids or own
    if not subscriptions:
        raise InvalidInput("no subscription is set: give subscription_ids or AZURE_SUBSCRIPTION_ID")
    return SweepScope(
        tuple(dict.fromkeys(_region(name) for name in named)),
        tuple(dict.fromkeys(_subscription(each) for each in subscriptions)),
    )


def _region(name: str) -> str:
    region = name.strip().lower().replace(" ", "")
    if not re.fullmatch(r"[a-z]+[a-z0-9]*", region):
        raise InvalidInput(f"{name!r} is not an Azure region: give a name such as eastus2")
    return region


def _subscription(text: str) -> str:
    try:
        return str(UUID(text.strip()))
    except ValueError:
        raise InvalidInput(f"{text!r} is not a subscription id: give its GUID") from None
