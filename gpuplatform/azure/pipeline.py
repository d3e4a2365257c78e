"""The HTTP pipeline of every Azure management client: bounded retries, no writes of its own."""

from __future__ import annotations

from typing import Any

from azure.core.credentials import TokenCredential
from azure.core.pipeline import policies
from azure.mgmt.core.policies import ARMChallengeAuthenticationPolicy

from gpuplatform.azure.transport import transport
from gpuplatform.settings import Settings

__all__ = ["CappedRetryPolicy", "client_options", "management_policies"]

ARM_SCOPE = "https://management.azure.com/.default"


class CappedRetryPolicy(policies.RetryPolicy[Any, Any]):
    """azure-core's retry with a cap on `Retry-After`, which the library itself sleeps through uncapped.

    Compute has been seen to ask for 1,200 s; three such sleeps are an hour in one call.
    """

    def __init__(self, *, retry_after_cap: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._cap = retry_after_cap

    def get_retry_after(self, response: Any) -> float | None:
        """Seconds to wait, at most the cap; None where the service named none."""
        delay = super().get_retry_after(response)
        return None if delay is None else min(float(delay), self._cap)


def retry_policy(settings: Settings) -> CappedRetryPolicy:
    return CappedRetryPolicy(
        retry_after_cap=settings.retry_after_cap_seconds,
        retry_total=4,
        retry_backoff_factor=0.8,
        retry_backoff_max=settings.retry_after_cap_seconds,
        timeout=settings.operation_timeout_seconds,
    )


def management_policies(credential: TokenCredential, settings: Settings) -> list[Any]:
    """The policies of a management client, in order.

    The SDK's own list also holds a policy that registers a missing resource provider (a write) and
    polls for it without end; a reader must not do that, so it is left out.
    """
    return [
        policies.RequestIdPolicy(),
        policies.HeadersPolicy(),
        policies.UserAgentPolicy("azure-gpu-platform"),
        policies.ProxyPolicy(),
        policies.ContentDecodePolicy(),
        policies.RedirectPolicy(),
        retry_policy(settings),
        ARMChallengeAuthenticationPolicy(credential, ARM_SCOPE),
        policies.CustomHookPolicy(),
    ]


def client_options(credential: TokenCredential, settings: Settings) -> dict[str, Any]:
    """Keyword arguments for the constructor of any azure-mgmt client."""
    return {
        "policies": management_policies(credential, settings),
        "polling_interval": settings.polling_interval_seconds,
        "transport": transport(settings.request_timeout_seconds),
    }
