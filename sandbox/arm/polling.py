"""Headers that tell a client where to poll, and the answers of those URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError
from sandbox.arm.ids import split
from sandbox.arm.messages import HOST, ArmRequest, Reply

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.operations import Operation

__all__ = ["operation_headers", "operation_result", "operation_status"]


def operation_headers(operation: Operation, api_version: str, *, location: bool) -> dict[str, str]:
    """Absolute URLs, as each service forms them.

    Args:
        location: also give `Location` (POST and DELETE; the Go provider takes a `Location` on PUT for
            a redirect to the result, so PUT gives only `Azure-AsyncOperation`).
    """
    target = split(operation["resourceId"])
    subscription = f"{HOST}/subscriptions/{target.subscription}"
    identifier, version = operation["id"], f"api-version={api_version}"
    headers = {"Retry-After": "1"}
    if target.namespace is None:
        headers["Location"] = f"{subscription}/operationresults/{identifier}?{version}"
        return headers
    base = f"{subscription}/providers/{target.namespace}/locations/{operation['location']}"
    if target.namespace.lower() == "microsoft.storage":
        headers["Location"] = f"{base}/asyncoperations/{identifier}?{version}&monitor=true"
        return headers
    headers["Azure-AsyncOperation"] = f"{base}/operations/{identifier}?{version}"
    if location and target.namespace.lower() == "microsoft.compute":
        headers["Location"] = f"{base}/operations/{identifier}?{version}&monitor=true"
    elif location:
        headers["Location"] = f"{base}/operationResults/{identifier}?{version}"
    return headers


async def operation_status(ctx: Context, request: ArmRequest) -> Reply:
    """`Azure-AsyncOperation`: the operation's own document (with `monitor=true`: its result)."""
    if request.query.get("monitor", "").lower() == "true":
        return await operation_result(ctx, request)
    operation = _find(ctx, request)
    body: dict[str, Any] = {
        "name": operation["id"],
        "status": operation["status"],
        "startTime": operation["startTime"],
    }
    if operation["status"] == "InProgress":
        return Reply(200, body, {"Retry-After": "1"})
    body["endTime"] = operation["endTime"]
    if operation.get("error"):
        body["error"] = operation["error"]
    if operation.get("output") is not None:
        body["properties"] = {"output": operation["output"]}
    return Reply(200, body)


async def operation_result(ctx: Context, request: ArmRequest) -> Reply:
    """`Location`: 202 while running, then what the call itself would have answered."""
    operation = _find(ctx, request)
    if operation["status"] == "InProgress":
        return Reply(202, None, {"Location": f"{HOST}{request.path}?{_query(request)}", "Retry-After": "1"})
    if operation.get("error"):
        error = operation["error"]
        raise ArmError(409, error["code"], error["message"])
    if operation.get("output") is not None:
        return Reply(200, operation["output"])
    resource = ctx.store.get(operation["resourceId"]) if operation["kind"] == "provision" else None
    if resource is None:
        return Reply(200)
    return Reply(200, ctx.types[resource["type"].lower()].view(ctx, resource, expand="", listing=False))


def _query(request: ArmRequest) -> str:
    return "&".join(f"{key}={value}" for key, value in request.query.items())


def _find(ctx: Context, request: ArmRequest) -> Operation:
    operation = ctx.operations.get(request.parameters["operation"])
    if operation is None:
        raise ArmError(
            404, "NotFound", f"The operation '{request.parameters['operation']}' could not be found."
        )
    return operation
