"""The rules of the `client_credentials` grant."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from urllib.parse import unquote_plus

from sandbox.entra.directory import Application, Directory
from sandbox.entra.errors import EntraError
from sandbox.entra.tokens import resource_of

__all__ = ["client_credentials"]

_RESOURCE_IDS = frozenset(
    {
        "6dae42f8-4368-4678-94ff-3960e28e3630",  # Azure Kubernetes Service AAD Server
        "e406a681-f3d4-42a8-90b6-c2b029497af1",  # Azure Storage
        "797f4846-ba00-4fd7-ba43-dac1f8f63013",  # Azure Resource Manager
        "00000003-0000-0000-c000-000000000000",  # Microsoft Graph
    }
)
_RESOURCE_HOSTS = frozenset(
    {
        "management.azure.com",
        "management.core.windows.net",
        "storage.azure.com",
        "graph.microsoft.com",
        "vault.azure.net",
    }
)


def client_credentials(
    form: Mapping[str, str], authorization: str, directory: Directory, *, version_2: bool
) -> tuple[Application, str]:
    """The application that asked, and the resource it asked for.

    Raises:
        EntraError: With the AADSTS code that Entra ID gives for the same mistake.
    """
    grant = form.get("grant_type", "")
    if not grant:
        raise _missing("grant_type")
    if grant != "client_credentials":
        raise EntraError(
            400,
            "unsupported_grant_type",
            70003,
            f"The app requested an unsupported grant type '{grant}'; the sandbox knows client_credentials.",
        )
    client_id, secret = _credentials(form, authorization)
    if not client_id:
        raise _missing("client_id")
    application = directory.find(client_id)
    if application is None:
        raise EntraError(
            400,
            "unauthorized_client",
            700016,
            f"Application with identifier '{client_id}' was not found in the directory"
            f" '{directory.tenant_id}'. This can happen if the application has not been installed by the"
            " administrator of the tenant or consented to by any user in the tenant.",
        )
    if "client_assertion" in form:
        raise EntraError(
            401, "invalid_client", 700027, "Client assertions are not supported by the sandbox; use a secret."
        )
    if not secret:
        raise EntraError(
            401,
            "invalid_client",
            7000218,
            "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
        )
    if not application.has_secret(secret):
        raise EntraError(
            401,
            "invalid_client",
            7000215,
            "Invalid client secret provided. Ensure the secret being sent in the request is the client secret"
            f" value, not the client secret ID, for a secret added to app '{client_id}'.",
        )
    return application, _resource(form, directory.tenant_id, version_2=version_2)


def _credentials(form: Mapping[str, str], authorization: str) -> tuple[str, str]:
    """From the form or from HTTP Basic (RFC 6749, 2.3.1: both parts are form-encoded there)."""
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "basic" and "client_secret" not in form:
        try:
            user, _, password = base64.b64decode(value, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return form.get("client_id", ""), ""
        return unquote_plus(user), unquote_plus(password)
    return form.get("client_id", ""), form.get("client_secret", "")


def _resource(form: Mapping[str, str], tenant_id: str, *, version_2: bool) -> str:
    name = "scope" if version_2 else "resource"
    asked = form.get(name, "")
    if not asked:
        raise _missing(name)
    if version_2 and not asked.split()[0].endswith("/.default"):
        raise EntraError(
            400,
            "invalid_scope",
            1002012,
            f"The provided value for scope '{asked}' is not valid. Client credential flows must have a scope"
            " value with /.default suffixed to the resource identifier (application ID URI).",
        )
    resource = resource_of(asked) if version_2 else asked
    name = resource.removeprefix("https://").rstrip("/").lower()
    if name not in _RESOURCE_IDS | _RESOURCE_HOSTS and not name.endswith(".blob.core.windows.net"):
        raise EntraError(
            400,
            "invalid_resource",
            500011,
            f"The resource principal named {resource} was not found in the tenant named {tenant_id}.",
        )
    return resource


def _missing(parameter: str) -> EntraError:
    return EntraError(
        400,
        "invalid_request",
        900144,
        f"The request body must contain the following parameter: '{parameter}'.",
    )
