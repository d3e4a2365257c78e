"""Access tokens as Entra ID issues them to applications: version 1.0, RS256, checked by signature."""

from __future__ import annotations

import base64
import hashlib
import time
import uuid
from dataclasses import dataclass
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from sandbox.entra.directory import Directory
from sandbox.identity import Identity
from sandbox.state import State

__all__ = ["LIFETIME", "Principal", "TokenError", "Tokens", "resource_of"]

LIFETIME = 3599
"""Seconds a token is valid, as in Entra ID's answers (`expires_in`)."""


class TokenError(Exception):
    """The token is not one of ours, or no longer valid; the message never holds the token."""


@dataclass(frozen=True)
class Principal:
    """Who a verified token speaks for."""

    tenant_id: str
    object_id: str
    client_id: str
    audience: str
    groups: tuple[str, ...]
    kind: str
    """`ServicePrincipal` or `User`."""


def resource_of(scope: str) -> str:
    """The audience of a scope or resource: `https://a//.default` asks for `https://a/`, slash kept."""
    return next(iter(scope.split()), "").removesuffix("/.default")


def _integer(value: int) -> str:
    raw = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class Tokens:
    """Issues and verifies; the signing key is made once and kept in the state."""

    def __init__(self, state: State, identity: Identity) -> None:
        self.directory = Directory(state, identity)
        self._issuer = f"https://sts.windows.net/{identity.tenant_id}/"
        self._key = _signing_key(state)
        numbers = self._key.public_key().public_numbers()
        self._numbers = {"n": _integer(numbers.n), "e": _integer(numbers.e)}
        self._key_id = hashlib.sha256(self._numbers["n"].encode()).hexdigest()[:27]

    def issue(self, principal_client_id: str, scope_or_resource: str) -> str:
        """A signed token for that application.

        Raises:
            TokenError: The directory has no such application.
        """
        application = self.directory.find(principal_client_id)
        if application is None:
            raise TokenError(f"No application has the id '{principal_client_id}'.")
        now = int(time.time())
        claims: dict[str, Any] = {
            "aud": resource_of(scope_or_resource),
            "iss": self._issuer,
            "iat": now,
            "nbf": now,
            "exp": now + LIFETIME,
            "appid": application.client_id,
            "appidacr": "1",
            "idp": self._issuer,
            "idtyp": "app",
            "oid": application.object_id,
            "sub": application.object_id,
            "tid": self.directory.tenant_id,
            "uti": uuid.uuid4().hex[:22],
            "ver": "1.0",
        }
        if application.groups:
            claims["groups"] = list(application.groups)
        return jwt.encode(claims, self._key, algorithm="RS256", headers={"kid": self._key_id})

    def verify(self, token: str) -> Principal:
        """Who the token speaks for; its audience is the caller's to judge.

        Raises:
            TokenError: Malformed, signed by another key, of another tenant, expired or not yet valid.
        """
        try:
            claims = jwt.decode(
                token,
                self._key.public_key(),
                algorithms=["RS256"],
                issuer=self._issuer,
                leeway=2,
                options={"verify_aud": False, "require": ["exp", "nbf", "iss", "aud", "tid", "oid"]},
            )
        except jwt.ExpiredSignatureError as error:
            raise TokenError("The access token is expired.") from error
        except jwt.InvalidTokenError as error:
            raise TokenError(f"The access token is invalid: {error}.") from error
        return Principal(
            tenant_id=claims["tid"],
            object_id=claims["oid"],
            client_id=claims.get("appid", ""),
            audience=claims["aud"],
            groups=tuple(claims.get("groups", ())),
            kind="ServicePrincipal" if claims.get("idtyp") == "app" else "User",
        )

    def key_set(self) -> dict[str, Any]:
        """The JSON Web Key Set that the tenant publishes."""
        key = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": self._key_id, **self._numbers}
        return {"keys": [key]}


def _signing_key(state: State) -> rsa.RSAPrivateKey:
    table = state.table("signing_key")
    if "pem" not in table:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        table["pem"] = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ).decode()
    loaded = serialization.load_pem_private_key(table["pem"].encode(), password=None)
    if not isinstance(loaded, rsa.RSAPrivateKey):
        raise TokenError("The signing key in the state is not an RSA key.")
    return loaded
