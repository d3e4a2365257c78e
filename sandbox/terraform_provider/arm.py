"""Requests to Azure Resource Manager: retries, long-running operations, deletion until it is gone."""

from __future__ import annotations

import http.client
import json
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from sandbox.terraform_provider.errors import ArmError, OperationFailed, ProviderError, Stopped, arm_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandbox.terraform_provider.credentials import Credentials
    from sandbox.terraform_provider.transport import Answer, Transport

__all__ = ["Arm"]

_HOST = "https://management.azure.com"
_RETRIED = frozenset({429, 500, 502, 503, 504})
_TRIES = 5
_LONGEST_WAIT = 30.0  # seconds; a longer Retry-After is cut to this
_SHORTEST_WAIT = 0.05  # seconds; so that `Retry-After: 0` does not spin
_DEFAULT_POLL = 1.0  # seconds between polls when the answer does not say
_STOP_GRACE = 10.0  # seconds that running operations get to finish when Terraform says stop
_FINAL = frozenset({"Succeeded", "Failed", "Canceled", "Cancelled"})
_USER_AGENT = "HashiCorp/go-azure-sdk terraform-provider-azurerm/5.2.0 (stand-in)"


class Arm:
    """A client of one subscription's Resource Manager. Safe for use by several threads."""

    def __init__(self, transport: Transport, credentials: Credentials, stop: threading.Event) -> None:
        self._transport = transport
        self._credentials = credentials
        self._stop = stop
        self._gives_up = 0.0

    def get(self, path: str, api_version: str, **query: str) -> dict[str, Any]:
        """The resource at `path`. Raises ArmError, status 404 when there is none."""
        return _json(self._send("GET", path, api_version, query=query))

    def find(self, path: str, api_version: str, **query: str) -> dict[str, Any] | None:
        """The resource at `path`, or None when there is none."""
        try:
            return self.get(path, api_version, **query)
        except ArmError as error:
            if error.status == 404:
                return None
            raise

    def post(self, path: str, api_version: str, *, deadline: float | None = None) -> dict[str, Any]:
        """An action; with a `deadline` (monotonic seconds) its operation is followed to its end."""
        answer = self._send("POST", path, api_version)
        if deadline is not None:
            self._follow(answer, path, api_version, deadline)
        return _json(answer)

    def put(self, path: str, api_version: str, body: Mapping[str, Any], deadline: float) -> None:
        """Create or replace, and wait until the service is done.

        Raises ArmError when refused, OperationFailed when it fails later, ProviderError at the
        deadline, Stopped.
        """
        self._write("PUT", path, api_version, body, deadline)

    def patch(self, path: str, api_version: str, body: Mapping[str, Any], deadline: float) -> None:
        """Change parts, and wait until the service is done; raises as `put` does."""
        self._write("PATCH", path, api_version, body, deadline)

    def delete(self, path: str, api_version: str, deadline: float) -> None:
        """Delete, and wait until the resource answers 404; nothing there is fine."""
        try:
            self._send("DELETE", path, api_version)
        except ArmError as error:
            if error.status == 404:
                return
            raise
        wait = _SHORTEST_WAIT
        while self.find(path, api_version) is not None:
            self._pause(wait, deadline, "waiting for the deletion")
            wait = min(wait * 2, _DEFAULT_POLL)

    def _write(
        self, method: str, path: str, api_version: str, body: Mapping[str, Any], deadline: float
    ) -> None:
        name = "CreateOrUpdate" if method == "PUT" else "Update"
        try:
            answer = self._send(method, path, api_version, body=body)
        except ArmError as error:
            error.args = (f"performing {name}: {error}",)
            raise
        try:
            self._follow(answer, path, api_version, deadline)
        except ProviderError as error:
            error.args = (f"polling after {name}: {error}",)
            raise

    def _follow(self, answer: Answer, path: str, api_version: str, deadline: float) -> None:
        """Wait for the operation behind `answer`: by its URL, else by the resource's own state."""
        url = answer.headers.get("azure-asyncoperation") or answer.headers.get("location")
        if url is None:
            self._await_resource(answer, path, api_version, deadline)
            return
        if not url.startswith("https://"):
            raise ProviderError(f'invalid polling URL "{url}" in response: URL was not absolute')
        by_status = "azure-asyncoperation" in answer.headers
        while True:
            self._pause(_poll_wait(answer), deadline, "polling")
            answer = self._send_url("GET", url)
            if by_status:
                content = _json(answer)
                status = content.get("status", "")
                if status in ("Failed", "Canceled", "Cancelled"):
                    raise OperationFailed(status, content)
                if status == "Succeeded":
                    return
            elif answer.status != 202:
                return

    def _await_resource(self, answer: Answer, path: str, api_version: str, deadline: float) -> None:
        content = _json(answer)
        while True:
            properties = content.get("properties")
            state = properties.get("provisioningState") if isinstance(properties, dict) else None
            if state in ("Failed", "Canceled", "Cancelled"):
                raise OperationFailed(state, {"status": state})
            if state is None or state in _FINAL:
                return
            self._pause(_poll_wait(answer), deadline, "polling")
            answer = self._send("GET", path, api_version)
            content = _json(answer)

    def _send(
        self,
        method: str,
        path: str,
        api_version: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Answer:
        parameters = urlencode({"api-version": api_version, **(query or {})})
        return self._send_url(method, f"{_HOST}{path}?{parameters}", body)

    def _send_url(self, method: str, url: str, body: Mapping[str, Any] | None = None) -> Answer:
        content = None if body is None else json.dumps(body).encode()
        tries = 0
        while True:
            tries += 1
            try:
                return self._try(method, url, content)
            except ArmError as error:
                if error.status not in _RETRIED or tries == _TRIES:
                    raise
                wait = error.retry_after if error.retry_after is not None else 2.0 ** (tries - 2)
            self._pause(wait, None, "retrying")

    def _try(self, method: str, url: str, content: bytes | None) -> Answer:
        headers = {
            "Accept": "application/json; charset=utf-8; IEEE754Compatible=false",
            "Authorization": f"Bearer {self._credentials.token()}",
            "User-Agent": _USER_AGENT,
        }
        if content is not None:
            headers["Content-Type"] = "application/json; charset=utf-8"
        elif method == "POST":
            headers["Content-Length"] = "0"
        try:
            answer = self._transport.send(method, url, headers, content)
        except (OSError, http.client.HTTPException) as error:
            raise ProviderError(f"{method} {url.partition('?')[0]}: {error}") from error
        if answer.status >= 300:
            raise arm_error(answer.status, answer.body, _retry_after(answer))
        return answer

    def _pause(self, seconds: float, deadline: float | None, doing: str) -> None:
        """Sleep, but not past the deadline and not for long when Terraform says stop."""
        seconds = min(max(seconds, _SHORTEST_WAIT), _LONGEST_WAIT)
        if deadline is not None and time.monotonic() + seconds > deadline:
            raise ProviderError(f"{doing}: context deadline exceeded")
        if not self._stop.wait(seconds):
            return
        # What is under way in Azure goes on anyway: a resource that Terraform saw finish is in the
        # state, one that it gave up on must be imported by hand.
        self._gives_up = self._gives_up or time.monotonic() + _STOP_GRACE
        if time.monotonic() > self._gives_up:
            raise Stopped
        time.sleep(min(seconds, _DEFAULT_POLL))


def _retry_after(answer: Answer) -> float | None:
    """Seconds that the answer asks to wait; None where it does not say, or says it as a date."""
    try:
        return float(answer.headers["retry-after"])
    except (KeyError, ValueError):
        return None


def _poll_wait(answer: Answer) -> float:
    asked = _retry_after(answer)
    return _DEFAULT_POLL if asked is None else asked


def _json(answer: Answer) -> dict[str, Any]:
    if not answer.body.strip():
        return {}
    content = json.loads(answer.body)
    return content if isinstance(content, dict) else {}
