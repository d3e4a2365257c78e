"""Who we are in Entra ID, read from our own access token."""

from __future__ import annotations

import base64
import json

from azure.core.credentials import TokenCredential

from gpuplatform.azure.errors import azure_errors
from gpuplatform.errors import PlatformError
from gpuplatform.ids import ObjectId

__all__ = ["object_id"]


def object_id(credential: TokenCredential) -> ObjectId:
    """The object id (`oid` claim) of the signed-in principal: what role assignments name.

    The token is ours and came straight from Entra ID, so its signature is not checked here.

    Raises:
        Refused: the credential was not accepted.
        PlatformError: the token has no `oid`.
    """
    with azure_errors("signing in to Entra ID"):
        token = credential.get_token("https://management.azure.com/.default").token
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return ObjectId(str(claims["oid"]))
    except (IndexError, KeyError, ValueError):
        raise PlatformError("the access token from Entra ID names no object id") from None
