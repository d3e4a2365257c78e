"""Plan and apply of one resource type without Terraform, as Terraform's calls would."""

from __future__ import annotations

import threading
from typing import Any

from sandbox.terraform_provider import planning, schema
from sandbox.terraform_provider.arm import Arm
from sandbox.terraform_provider.credentials import Credentials, Login
from sandbox.terraform_provider.resources import RESOURCES, Context
from tests.sandbox.terraform_provider.fake_azure import SUBSCRIPTION, FakeAzure

LOGIN = Login(
    tenant_id="11111111-1111-1111-1111-111111111111",
    client_id="22222222-2222-2222-2222-222222222222",
    subscription_id=SUBSCRIPTION,
    client_secret="hidden-secret",
)


def context_for(azure: Any, stop: threading.Event | None = None) -> Context:
    """A provider's context that talks to `azure`."""
    credentials = Credentials(LOGIN, azure)
    return Context(Arm(azure, credentials, stop or threading.Event()), credentials, {})


class Steps:
    """One resource: `plan`, `apply`, `read` and `destroy`, with the state kept between."""

    def __init__(self, type_name: str, azure: FakeAzure) -> None:
        self.resource = RESOURCES[type_name]
        self.block = schema.resources()[type_name].block
        self.context = context_for(azure)
        self.state: dict[str, Any] | None = None

    def config(self, values: dict[str, Any]) -> dict[str, Any]:
        """A whole configuration with these values set."""
        return self.block.conform(values)

    def plan(self, values: dict[str, Any]) -> planning.Plan:
        """Plan `values` against the state, with Terraform's validation before it."""
        config = self.config(values)
        assert not planning.unsupported(self.resource.parts, self.block, config)
        plan = planning.plan(self.resource.parts, self.block, config, self.state)
        self.resource.check(plan.value, self.state)
        return plan

    def apply(self, values: dict[str, Any]) -> dict[str, Any]:
        """Create, or update in place."""
        plan = self.plan(values)
        if self.state is None:
            after = self.resource.create(plan.value, self.context)
        else:
            assert plan.replace == []
            after = self.resource.update(plan.value, self.state, self.context)
        self.state = self.block.conform(after)
        return self.state

    def read(self) -> dict[str, Any] | None:
        """Refresh the state."""
        assert self.state is not None
        found = self.resource.read(self.state, self.context)
        self.state = None if found is None else self.block.conform(found)
        return self.state

    def destroy(self) -> None:
        """Delete."""
        assert self.state is not None
        self.resource.delete(self.state, self.context)
        self.state = None

    def differences(self, values: dict[str, Any]) -> dict[str, Any]:
        """What another plan of `values` would change after a refresh: name → (state, plan)."""
        self.read()
        assert self.state is not None
        planned = self.plan(values).value
        return {k: (v, planned[k]) for k, v in self.state.items() if planned[k] != v}
