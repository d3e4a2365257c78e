"""ARM's request limits: one token bucket for reads and one for writes per subscription."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from sandbox.arm.errors import ArmError

__all__ = ["Throttle"]


@dataclass
class _Bucket:
    size: float
    refill: float  # tokens per second
    tokens: float
    at: float

    def take(self, now: float) -> int | None:
        """The tokens left after taking one; None when there is none to take."""
        self.tokens = min(self.size, self.tokens + (now - self.at) * self.refill)
        self.at = now
        if self.tokens < 1:
            return None
        self.tokens -= 1
        return int(self.tokens)

    def wait(self) -> int:
        """Whole seconds until a token is there; at least 1, because clients take 0 for 'no header'."""
        return max(1, math.ceil((1 - self.tokens) / self.refill))


class Throttle:
    """Limits documented by Microsoft: reads 250 with 25 refilled a second, writes 200 with 10."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[tuple[str, str], _Bucket] = {}

    def take(self, subscription: str, method: str, operation: str) -> dict[str, str]:
        """Spend one request; the headers that tell the client what is left.

        Raises:
            ArmError: 429 SubscriptionRequestsThrottled with `Retry-After` when the bucket is empty.
        """
        kind, size, refill = ("reads", 250, 25) if method in {"GET", "HEAD"} else ("writes", 200, 10)
        now = self._clock()
        bucket = self._buckets.setdefault((subscription, kind), _Bucket(size, refill, size, now))
        left = bucket.take(now)
        header = f"x-ms-ratelimit-remaining-subscription-{kind}"
        if left is None:
            seconds = bucket.wait()
            raise ArmError(
                429,
                "SubscriptionRequestsThrottled",
                f"Number of requests for subscription '{subscription}' and operation '{operation}' exceeded "
                f"the backend storage limit. Please try again after '{seconds}' seconds.",
                headers={"Retry-After": str(seconds), header: "0"},
            )
        return {header: str(left)}
