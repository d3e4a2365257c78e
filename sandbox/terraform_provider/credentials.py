"""Who the provider is: client id and secret, and the tokens they buy."""

from __future__ import annotations

import base64
import http.client
import json
import os
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from sandbox.terraform_provider.errors import ProviderError, arm_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandbox.terraform_provider.transport import Transport

__all__ = ["Credentials", "Login"]

_AUTHORITY = "https://login.microsoftonline.com"
_SCOPE = "https://management.azure.com/.default"
_EARLY = 120.0  # seconds before its end at which a token counts as used up


@dataclass(frozen=True)
class Login:
    """A service principal and the subscription to work in. The secret is in no text of this object."""

    tenant_id: str
    client_id: str
    subscription_id: str
    client_secret: str = field(repr=False)

    @classmethod
    def read(cls, config: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Login:
        """The login from the provider block, else from ARM_*.

        Raises ProviderError naming what is missing.
        """
        env = os.environ if environment is None else environment
        found = {
            name: config.get(name) or env.get(f"ARM_{name.upper()}") or ""
            for name in ("tenant_id", "client_id", "subscription_id", "client_secret")
        }
        if not found["subscription_id"]:
            raise ProviderError(
                "`subscription_id` is a required provider property when performing a plan/apply operation"
            )
        missing = [name for name, value in found.items() if not value]
        if missing:
            raise ProviderError(
                "unable to build authorizer for Resource Manager API: could not configure "
                f"ClientSecretAuth: {', '.join(missing)} not given; this provider knows no other way "
                "to sign in"
            )
        return cls(**found)


class Credentials:
    """Tokens for Azure Resource Manager, fetched when first needed and again before they end."""

    def __init__(self, login: Login, transport: Transport) -> None:
        self.login = login
        self._transport = transport
        self._lock = threading.Lock()
        self._token = ""
        self._ends = 0.0

    def token(self) -> str:
        """A valid access token. Raises ProviderError when Entra ID refuses."""
        with self._lock:
            if time.monotonic() >= self._ends:
                self._fetch()
            return self._token

    def object_id(self) -> str:
        """The object id of the service principal, which stands in the token as `oid`."""
        payload = self.token().split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return str(claims["oid"])

    def _fetch(self) -> None:
        form = {
            "grant_type": "client_credentials",
            "client_id": self.login.client_id,
            "client_secret": self.login.client_secret,
            "scope": _SCOPE,
        }
        try:
            answer = self._transport.send(
                "POST",
                f"{_AUTHORITY}/{self.login.tenant_id}/oauth2/v2.0/token",
                {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"},
                urlencode(form).encode(),
            )
        except (OSError, http.client.HTTPException) as error:
            raise ProviderError(f"obtaining a token from {_AUTHORITY}: {error}") from error
        if answer.status != 200:
            reason = arm_error(answer.status, answer.body, None)
            raise ProviderError(f"obtaining a token from {_AUTHORITY}: {reason}") from reason
        content = json.loads(answer.body)
        self._token = content["access_token"]
        self._ends = time.monotonic() + float(content["expires_in"]) - _EARLY
