"""Azure's errors become ours by what can be done about them."""

from datetime import timedelta
from typing import Any

import pytest
from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ServiceRequestError,
)

from gpuplatform.azure.errors import azure_errors, translate
from gpuplatform.azure.pipeline import CappedRetryPolicy
from gpuplatform.errors import Conflict, NotFound, PlatformError, Refused, Retryable


class _Response:
    reason = "reason"

    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.status_code = status
        self.headers = headers or {}


def _http(status: int, message: str = "text", headers: dict[str, str] | None = None) -> HttpResponseError:
    response: Any = _Response(status, headers)
    return HttpResponseError(message=message, response=response)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (_http(429), Retryable),
        (_http(500), Retryable),
        (_http(503), Retryable),
        (_http(403), Refused),
        (_http(404), NotFound),
        (_http(409), Conflict),
        (_http(412), Conflict),
        (_http(400), PlatformError),
        (ClientAuthenticationError(message="AADSTS7000215"), Refused),
        (ServiceRequestError("name resolution"), Retryable),
    ],
)
def test_kind(error: AzureError, kind: type[PlatformError]) -> None:
    assert type(translate(error, "doing")) is kind


def test_text_starts_with_the_activity_and_is_one_line() -> None:
    with pytest.raises(PlatformError) as caught, azure_errors("creating the state container"):
        raise _http(400, "(BadName) no good\nCode: BadName\nMessage: no good")
    assert str(caught.value) == "creating the state container: (BadName) no good"


def test_signing_in_says_what_was_tried() -> None:
    error = ClientAuthenticationError(
        message="Credential failed.\nAttempted credentials:\n\tEnvironmentCredential: AADSTS7000215"
        "\nTo mitigate this issue, please refer to the troubleshooting guidelines here at https://aka.ms/x."
    )
    assert str(translate(error, "signing in")) == (
        "signing in: Credential failed. Attempted credentials: EnvironmentCredential: AADSTS7000215"
    )


def test_retry_after_is_kept() -> None:
    error = translate(_http(429, headers={"Retry-After": "17"}), "reading")
    assert isinstance(error, Retryable)
    assert error.retry_after == timedelta(seconds=17)


def test_an_uncapped_retry_after_is_capped() -> None:
    policy = CappedRetryPolicy(retry_after_cap=20.0)

    class Carrier:
        http_response = _Response(429, {"Retry-After": "1200"})

    assert policy.get_retry_after(Carrier()) == 20.0
