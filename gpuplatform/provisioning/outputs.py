"""Where an environment's cluster is, for the steps that come after provisioning."""

from __future__ import annotations

import json

from gpuplatform.approval.client import RecordStore
from gpuplatform.approval.record import RunState
from gpuplatform.azure.clients import AzureClients
from gpuplatform.azure.errors import azure_errors
from gpuplatform.environments import Environment
from gpuplatform.errors import NotFound, PlatformError
from gpuplatform.terraform.outputs import Outputs, parse_outputs, visible_outputs

__all__ = ["environment_outputs"]


def environment_outputs(clients: AzureClients, environment: Environment) -> Outputs:
    """The outputs of the environment: from the newest record that has them, otherwise from the state.

    Of the state only `outputs` is read; its resources hold secrets.

    Raises:
        NotFound: the environment is not provisioned.
    """
    name = environment.name.value
    store = RecordStore(clients, environment)
    if not store.exists():
        raise NotFound(f"{name} is not provisioned: there is no state backend; run provision for it first")
    try:
        record = store.newest(RunState.APPLIED, RunState.PLANNED_NO_CHANGES)
    except NotFound:
        record = None
    if record is not None and record.outputs:
        return parse_outputs(record.outputs)
    try:
        with azure_errors(f"reading the state of {name}"):
            content = (
                clients.blobs(store.account)
                .get_blob_client(environment.state.container, environment.state_key)
                .download_blob()
                .readall()
            )
    except NotFound:
        raise NotFound(f"{name} is not provisioned: it has no state; run provision for it first") from None
    try:
        outputs = visible_outputs(json.loads(content).get("outputs") or {})
    except (ValueError, AttributeError):
        raise PlatformError(f"reading the state of {name}: it is not a Terraform state") from None
    if not outputs:
        raise NotFound(f"{name} is not provisioned: its state is empty; run provision for it first")
    try:
        return parse_outputs(outputs)
    except PlatformError as error:
        # An apply that broke off leaves some of the outputs.
        raise NotFound(f"{name} is not wholly provisioned: {error}; run provision for it first") from None
