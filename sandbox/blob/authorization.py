"""Who may send a blob request: bearer tokens by role, shared keys and SAS by the account's setting."""

from __future__ import annotations

from urllib.parse import urlsplit

from aiohttp import web

from sandbox.blob.errors import StorageError
from sandbox.data_plane import DataPlane
from sandbox.entra.tokens import Principal, TokenError, Tokens

__all__ = ["Authorizer", "container_of"]

_STORAGE_RESOURCES = ("https://storage.azure.com", "e406a681-f3d4-42a8-90b6-c2b029497af1")
_READS = ("GET", "HEAD", "OPTIONS")


def container_of(path: str) -> str | None:
    """The container that a request's path names; None for the account itself."""
    return path.strip("/").split("/", 1)[0] or None


class Authorizer:
    """Decides before Azurite sees the request; Azurite checks key signatures itself."""

    def __init__(self, tokens: Tokens, data_plane: DataPlane, tenant_id: str) -> None:
        self._tokens = tokens
        self._data_plane = data_plane
        self._tenant_id = tenant_id

    def check(self, request: web.Request, account: str) -> None:
        """Raises StorageError, with the status and code that Azure gives, when the request may not pass."""
        self._check_copy_source(request, account)
        scheme, _, value = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            self._check_role(self._verified(value.strip(), account), request, account)
        elif scheme in ("SharedKey", "SharedKeyLite"):
            self._check_shared_key(account)
        elif "skoid" in request.query and "sig" in request.query:
            # A SAS signed with a user delegation key: it can do what its signer may do.
            self._check_role(self._delegate(request.query["skoid"]), request, account)
        elif "sig" in request.query:
            self._check_shared_key(account)
        else:
            raise StorageError(
                401,
                "NoAuthenticationInformation",
                "Server failed to authenticate the request. Please refer to the information in the"
                " www-authenticate header.",
                {"WWW-Authenticate": self._challenge()},
            )

    def _verified(self, token: str, account: str) -> Principal:
        try:
            principal = self._tokens.verify(token)
        except TokenError as error:
            raise self._unauthenticated(str(error)) from error
        own = f"https://{account}.blob.core.windows.net"
        if principal.audience.rstrip("/") not in (*_STORAGE_RESOURCES, own):
            raise self._unauthenticated("Audience validation failed. Audience did not match.")
        return principal

    def _check_role(self, principal: Principal, request: web.Request, account: str) -> None:
        # A user delegation key is asked for by POST and changes nothing.
        reads = request.method in _READS or request.query.get("comp") == "userdelegationkey"
        container = container_of(request.path)
        if not self._data_plane.blob_allowed(principal, account, container, not reads):
            raise StorageError(
                403,
                "AuthorizationPermissionMismatch",
                "This request is not authorized to perform this operation using this permission.",
            )

    def _check_shared_key(self, account: str) -> None:
        if not self._data_plane.shared_key_allowed(account):
            raise StorageError(
                403,
                "KeyBasedAuthenticationNotPermitted",
                "Key based authentication is not permitted on this storage account.",
            )

    def _check_copy_source(self, request: web.Request, account: str) -> None:
        """Azurite would fetch a foreign source by itself, past the proxy."""
        source = request.headers.get("x-ms-copy-source")
        if source and (urlsplit(source).hostname or "") != f"{account}.blob.core.windows.net":
            raise StorageError(
                501,
                "NotImplemented",
                "The sandbox copies blobs within one storage account only.",
            )

    def _delegate(self, object_id: str) -> Principal:
        application = self._tokens.directory.find_object(object_id)
        return Principal(
            tenant_id=self._tenant_id,
            object_id=object_id,
            client_id=application.client_id if application else "",
            audience=_STORAGE_RESOURCES[0],
            groups=application.groups if application else (),
            kind="ServicePrincipal",
        )

    def _unauthenticated(self, detail: str) -> StorageError:
        return StorageError(
            401,
            "InvalidAuthenticationInfo",
            f"Server failed to authenticate the request. {detail}",
            {"WWW-Authenticate": self._challenge()},
        )

    def _challenge(self) -> str:
        return (
            f"Bearer authorization_uri=https://login.microsoftonline.com/{self._tenant_id}/oauth2/authorize"
            " resource_id=https://storage.azure.com"
        )
