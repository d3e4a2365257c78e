"""An Azure in memory behind the provider's transport: it stores what is PUT and records all requests."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from sandbox.terraform_provider.transport import Answer

SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg"
OBJECT_ID = "33333333-3333-3333-3333-333333333333"
_OPERATION = f"https://management.azure.com/subscriptions/{SUBSCRIPTION}/operations/1?api-version=1"


@dataclass
class Request:
    """What was asked."""

    method: str
    path: str
    api_version: str
    body: Any


@dataclass
class FakeAzure:
    """`fill(path, body)` adds what the service would; `refusals` are answered first, in order."""

    fill: Callable[[str, dict[str, Any]], None] = lambda _path, _body: None
    polls: int = 0
    failure: dict[str, Any] | None = None
    resources: dict[str, dict[str, Any]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    refusals: list[Answer] = field(default_factory=list)
    token_requests: int = 0

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        parts = urlsplit(url)
        if parts.netloc == "login.microsoftonline.com":
            return self._token()
        assert headers["Authorization"].startswith("Bearer ")
        path = unquote(parts.path)
        version = parse_qs(parts.query).get("api-version", [""])[0]
        content = json.loads(body) if body else None
        if "/operations/" in path:
            return self._operation()
        self.requests.append(Request(method, path, version, content))
        if self.refusals:
            return self.refusals.pop(0)
        handle: Callable[[str, Any], Answer] = getattr(self, f"_{method.lower()}")
        return handle(path, content)

    def sent(self, method: str, ending: str = "") -> list[Any]:
        """Bodies of the requests so far with that method and path ending."""
        return [r.body for r in self.requests if r.method == method and r.path.endswith(ending)]

    def _token(self) -> Answer:
        self.token_requests += 1
        claims = base64.urlsafe_b64encode(json.dumps({"oid": OBJECT_ID}).encode()).decode().rstrip("=")
        return answer(200, {"access_token": f"h.{claims}.s", "expires_in": 3600})

    def _operation(self) -> Answer:
        if self.polls > 0:
            self.polls -= 1
            return answer(200, {"status": "InProgress"}, {"retry-after": "0"})
        return answer(200, self.failure or {"status": "Succeeded"}, {"retry-after": "0"})

    def _get(self, path: str, _body: Any) -> Answer:
        if path.endswith("/instanceView"):
            return answer(200, {"statuses": [{"code": "PowerState/running"}]})
        if path.endswith("/roleDefinitions"):
            role = {"id": f"/subscriptions/{SUBSCRIPTION}{ROLE}", "properties": {"roleName": "Reader"}}
            return answer(200, {"value": [role]})
        if path.endswith(ROLE):
            return answer(200, {"properties": {"roleName": "Reader"}})
        if path.endswith("/resources"):
            below = path.removesuffix("/resources") + "/"
            return answer(200, {"value": [{"id": k} for k in self.resources if k.startswith(below)]})
        if path not in self.resources:
            return refusal(404, "ResourceNotFound", f"{path} was not found.")
        return answer(200, copy.deepcopy(self.resources[path]))

    def _put(self, path: str, body: dict[str, Any]) -> Answer:
        stored = {**copy.deepcopy(body), "id": path, "name": path.rpartition("/")[2]}
        self.fill(path, stored)
        self.resources[path] = stored
        headers = {"azure-asyncoperation": _OPERATION, "retry-after": "0"}
        return answer(201, stored, headers if self.polls or self.failure else {})

    def _patch(self, path: str, body: dict[str, Any]) -> Answer:
        _merge(self.resources[path], body)
        return answer(200, self.resources[path])

    def _post(self, path: str, _body: Any) -> Answer:
        if path.endswith("Credential"):
            config = base64.b64encode(KUBECONFIG.encode()).decode()
            return answer(200, {"kubeconfigs": [{"name": "c", "value": config}]})
        return answer(200, {})

    def _delete(self, path: str, _body: Any) -> Answer:
        self.resources.pop(path, None)
        return answer(202, {})


ROLE = "/providers/Microsoft.Authorization/roleDefinitions/acdd72a7-3385-48ef-bd42-f606fba81ae7"
KUBECONFIG = """\
apiVersion: v1
clusters:
- name: aks
  cluster: {server: 'https://aks.hcp.eastus.azmk8s.io:443', certificate-authority-data: Q0E=}
users:
- name: clusterUser
  user: {token: t0ken}
"""


def answer(status: int, body: Any, headers: Mapping[str, str] | None = None) -> Answer:
    """An answer with a JSON body."""
    return Answer(status, headers or {}, json.dumps(body).encode())


def refusal(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Answer:
    """An ARM error."""
    return answer(status, {"error": {"code": code, "message": message}}, headers)


def _merge(target: dict[str, Any], change: dict[str, Any]) -> None:
    for name, value in change.items():
        if isinstance(value, dict) and isinstance(target.get(name), dict) and name != "tags":
            _merge(target[name], value)
        else:
            target[name] = value
