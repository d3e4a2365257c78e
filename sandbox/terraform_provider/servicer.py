"""The provider side of Terraform's plugin protocol, version 6."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from tf.gen import tfplugin_pb2 as pb  # type: ignore[import-untyped]  # not marked as typed
from tf.gen import tfplugin_pb2_grpc as rpc

from sandbox.terraform_provider import client_config, planning, schema
from sandbox.terraform_provider.arm import Arm
from sandbox.terraform_provider.credentials import Credentials, Login
from sandbox.terraform_provider.errors import ProviderError
from sandbox.terraform_provider.resources import RESOURCES, Context, Resource, Values
from sandbox.terraform_provider.transport import Transport
from sandbox.terraform_provider.values import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Servicer"]


def _diagnostic(message: str, path: Iterable[str | int] = (), detail: str = "") -> pb.Diagnostic:
    attribute = pb.AttributePath()
    for step in path:
        if isinstance(step, int):
            attribute.steps.add(element_key_int=step)
        else:
            attribute.steps.add(attribute_name=step)
    return pb.Diagnostic(severity=pb.Diagnostic.ERROR, summary=message, detail=detail, attribute=attribute)


def _path(steps: Iterable[str | int]) -> pb.AttributePath:
    return _diagnostic("", steps).attribute


class Servicer(rpc.ProviderServicer):  # type: ignore[misc]  # generated without types
    """Answers Terraform's calls; each comes on a thread of its own.

    Method names and signatures are the protocol's.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._context: Context | None = None

    # ---- schema and configuration

    def GetProviderSchema(self, request: Any, context: Any) -> pb.GetProviderSchema.Response:  # noqa: ARG002, N802  # the protocol's
        return pb.GetProviderSchema.Response(
            provider=schema.message(schema.provider()),
            resource_schemas={name: schema.message(s) for name, s in schema.resources().items()},
            data_source_schemas={name: schema.message(s) for name, s in schema.data_sources().items()},
            server_capabilities=pb.ServerCapabilities(get_provider_schema_optional=True),
        )

    def GetFunctions(self, request: Any, context: Any) -> pb.GetFunctions.Response:  # noqa: ARG002, N802  # the protocol's
        return pb.GetFunctions.Response()

    def ValidateProviderConfig(self, request: Any, context: Any) -> pb.ValidateProviderConfig.Response:  # noqa: ARG002, N802  # the protocol's
        return pb.ValidateProviderConfig.Response()

    def ConfigureProvider(self, request: Any, context: Any) -> pb.ConfigureProvider.Response:  # noqa: ARG002, N802  # the protocol's
        config = decode(request.config) or {}
        try:
            login = Login.read(config)
        except ProviderError as error:
            return pb.ConfigureProvider.Response(diagnostics=[_diagnostic(str(error))])
        transport = Transport()
        credentials = Credentials(login, transport)
        features = (config.get("features") or [{}])[0]
        self._context = Context(Arm(transport, credentials, self.stop), credentials, features)
        return pb.ConfigureProvider.Response()

    def StopProvider(self, request: Any, context: Any) -> pb.StopProvider.Response:  # noqa: ARG002, N802  # the protocol's
        self.stop.set()
        return pb.StopProvider.Response()

    # ---- resources

    def ValidateResourceConfig(self, request: Any, context: Any) -> pb.ValidateResourceConfig.Response:  # noqa: ARG002, N802  # the protocol's
        resource, block = self._type(request.type_name)
        diagnostics = [
            _diagnostic(
                f'this stand-in for azurerm does not support "{path[-1]}" of {request.type_name}',
                path,
                "The released provider does. COVERAGE.md beside the stand-in lists what it knows.",
            )
            for path in planning.unsupported(resource.parts, block, decode(request.config))
        ]
        return pb.ValidateResourceConfig.Response(diagnostics=diagnostics)

    def UpgradeResourceState(self, request: Any, context: Any) -> pb.UpgradeResourceState.Response:  # noqa: ARG002, N802  # the protocol's
        _, block = self._type(request.type_name)
        state = json.loads(request.raw_state.json)
        return pb.UpgradeResourceState.Response(upgraded_state=encode(block.conform(state)))

    def ReadResource(self, request: Any, context: Any) -> pb.ReadResource.Response:  # noqa: ARG002, N802  # the protocol's
        resource, block = self._type(request.type_name)
        try:
            state = resource.read(decode(request.current_state), self._ready())
        except ProviderError as error:
            return pb.ReadResource.Response(
                new_state=request.current_state, diagnostics=[_diagnostic(str(error))]
            )
        return pb.ReadResource.Response(new_state=_encoded(block, state), private=request.private)

    def PlanResourceChange(self, request: Any, context: Any) -> pb.PlanResourceChange.Response:  # noqa: ARG002, N802  # the protocol's
        resource, block = self._type(request.type_name)
        if decode(request.proposed_new_state) is None:
            return pb.PlanResourceChange.Response(
                planned_state=request.proposed_new_state, legacy_type_system=True
            )
        prior, config = decode(request.prior_state), decode(request.config)
        plan = planning.plan(resource.parts, block, config, prior)
        try:
            resource.check(plan.value, prior)
        except ProviderError as error:
            return pb.PlanResourceChange.Response(
                diagnostics=[_diagnostic(str(error))], legacy_type_system=True
            )
        return pb.PlanResourceChange.Response(
            planned_state=_encoded(block, plan.value),
            requires_replace=[_path(path) for path in plan.replace],
            planned_private=request.prior_private,
            legacy_type_system=True,
        )

    def ApplyResourceChange(self, request: Any, context: Any) -> pb.ApplyResourceChange.Response:  # noqa: ARG002, N802  # the protocol's
        resource, block = self._type(request.type_name)
        prior, planned = decode(request.prior_state), decode(request.planned_state)
        try:
            state = _apply(resource, prior, planned, self._ready())
        except ProviderError as error:
            # What a failed creation left behind is unknown to Terraform, as with azurerm.
            return pb.ApplyResourceChange.Response(
                new_state=request.prior_state,
                diagnostics=[_diagnostic(str(error))],
                legacy_type_system=True,
            )
        return pb.ApplyResourceChange.Response(
            new_state=_encoded(block, state), private=request.planned_private, legacy_type_system=True
        )

    def ImportResourceState(self, request: Any, context: Any) -> pb.ImportResourceState.Response:  # noqa: ARG002, N802  # the protocol's
        _, block = self._type(request.type_name)
        imported = pb.ImportResourceState.ImportedResource(
            type_name=request.type_name, state=encode({**block.empty(), "id": request.id})
        )
        return pb.ImportResourceState.Response(imported_resources=[imported])

    # ---- data sources

    def ValidateDataResourceConfig(  # noqa: N802  # the protocol's
        self,
        request: Any,  # noqa: ARG002  # the protocol's
        context: Any,  # noqa: ARG002  # the protocol's
    ) -> pb.ValidateDataResourceConfig.Response:
        return pb.ValidateDataResourceConfig.Response()

    def ReadDataSource(self, request: Any, context: Any) -> pb.ReadDataSource.Response:  # noqa: ARG002, N802  # the protocol's
        block = schema.data_sources()[request.type_name].block  # client_config is the only one
        try:
            found = client_config.read(self._ready().credentials)
        except ProviderError as error:
            return pb.ReadDataSource.Response(diagnostics=[_diagnostic(str(error))])
        config = decode(request.config) or {}
        return pb.ReadDataSource.Response(
            state=_encoded(block, {**found, "timeouts": config.get("timeouts")})
        )

    # ---- small parts

    def _ready(self) -> Context:
        if self._context is None:
            raise ProviderError("the provider has not been configured")
        return self._context

    @staticmethod
    def _type(name: str) -> tuple[Resource, schema.Block]:
        return RESOURCES[name], schema.resources()[name].block


def _encoded(block: schema.Block, values: Values | None) -> pb.DynamicValue:
    return encode(None if values is None else block.conform(values))


def _apply(
    resource: Resource, prior: Values | None, planned: Values | None, context: Context
) -> Values | None:
    if planned is None:
        if prior is not None:
            resource.delete(prior, context)
        return None
    if prior is None:
        return resource.create(planned, context)
    return resource.update(planned, prior, context)
