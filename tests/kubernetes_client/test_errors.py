"""The API server's refusals as errors of ours."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ResourceNotFoundError
from urllib3.exceptions import MaxRetryError, NewConnectionError

from gpuplatform.errors import Conflict, NotFound, PlatformError, Refused, Retryable
from gpuplatform.kubernetes.errors import kubernetes_errors


def api_error(status: int, message: str, headers: dict[str, str] | None = None) -> ApiException:
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": status}
    error = ApiException(status=status, reason="Some Reason", body=json.dumps(body))
    error.headers = headers
    return error


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, PlatformError),
        (401, Refused),
        (403, Refused),
        (404, NotFound),
        (409, Conflict),
        (422, PlatformError),
        (429, Retryable),
        (500, Retryable),
        (503, Retryable),
    ],
)
def test_status_decides_the_type(status: int, kind: type[PlatformError]) -> None:
    with pytest.raises(PlatformError) as caught, kubernetes_errors("applying it"):
        raise api_error(status, "no\nsuch   thing")
    assert type(caught.value) is kind
    assert str(caught.value) == f"applying it: no such thing (HTTP {status})"


def test_retry_after_is_carried() -> None:
    with pytest.raises(Retryable) as caught, kubernetes_errors("listing"):
        raise api_error(429, "slow down", {"Retry-After": "7"})
    assert caught.value.retry_after == timedelta(seconds=7)


def test_a_body_that_is_not_json_is_quoted_and_capped() -> None:
    with pytest.raises(Retryable) as caught, kubernetes_errors("listing"):
        raise ApiException(status=502, reason="Bad Gateway", body="<html>" + "x" * 5_000)
    assert "<html>" in str(caught.value)
    assert len(str(caught.value)) < 1_100


def test_tls_refusal_is_not_retried() -> None:
    with pytest.raises(PlatformError) as caught, kubernetes_errors("listing"):
        raise ApiException(status=0, reason="SSLError\ncertificate verify failed")
    assert type(caught.value) is PlatformError
    assert str(caught.value) == "listing: SSLError certificate verify failed"


def test_no_connection_is_retryable() -> None:
    with (
        pytest.raises(Retryable, match=r"listing: the cluster did not answer: .*refused"),
        kubernetes_errors("listing"),
    ):
        raise MaxRetryError(None, "/api", NewConnectionError(None, "Connection refused"))  # type: ignore[arg-type] # no pool in a test


def test_a_kind_that_is_not_served() -> None:
    with (
        pytest.raises(NotFound, match="does not serve this kind"),
        kubernetes_errors("applying a LocalQueue"),
    ):
        raise ResourceNotFoundError("No matches found for {'kind': 'LocalQueue'}")


def test_tokens_in_messages_are_hidden() -> None:
    with pytest.raises(Refused) as caught, kubernetes_errors("listing"):
        raise api_error(401, "bad token: Bearer abcdefghijklmnop")
    assert "abcdefghijklmnop" not in str(caught.value)
