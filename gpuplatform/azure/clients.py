"""The Azure clients of one subscription, made when first used and closed together."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

from azure.identity import DefaultAzureCredential

from gpuplatform.azure.pipeline import client_options
from gpuplatform.azure.transport import transport
from gpuplatform.errors import InvalidInput
from gpuplatform.settings import Settings
from gpuplatform.settings import settings as process_settings

if TYPE_CHECKING:
    from types import TracebackType

    from azure.core.credentials import TokenCredential
    from azure.mgmt.authorization import AuthorizationManagementClient
    from azure.mgmt.compute import ComputeManagementClient
    from azure.mgmt.containerservice import ContainerServiceClient
    from azure.mgmt.resource.locks import ManagementLockClient
    from azure.mgmt.resource.resources import ResourceManagementClient
    from azure.mgmt.resource.subscriptions import SubscriptionClient
    from azure.mgmt.storage import StorageManagementClient
    from azure.storage.blob import BlobServiceClient

__all__ = ["AzureClients"]

_T = TypeVar("_T", bound=AbstractContextManager[Any])


class AzureClients:
    """One credential and the clients built on it.

    The imports are inside because each SDK costs a few hundred milliseconds and most tasks need one.

    Raises:
        InvalidInput: no subscription was named.
    """

    def __init__(
        self,
        subscription_id: str | None = None,
        *,
        credential: TokenCredential | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings or process_settings()
        self.subscription_id = subscription_id or self.settings.subscription_id
        if not self.subscription_id:
            raise InvalidInput(
                "no subscription is set: give AZURE_SUBSCRIPTION_ID (or GPUPLATFORM_SUBSCRIPTION_ID)"
            )
        self._stack = ExitStack()
        if credential is None:
            # The developer credentials would open browsers and call CLIs from a worker.
            credential = self._stack.enter_context(
                DefaultAzureCredential(
                    exclude_interactive_browser_credential=True,
                    exclude_powershell_credential=True,
                    exclude_developer_cli_credential=True,
                    exclude_shared_token_cache_credential=True,
                    exclude_visual_studio_code_credential=True,
                    retry_total=3,
                )
            )
        self.credential: TokenCredential = credential

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _open(self, client: _T) -> _T:
        self._stack.enter_context(client)
        return client

    def _options(self) -> dict[str, Any]:
        return client_options(self.credential, self.settings)

    @cached_property
    def compute(self) -> ComputeManagementClient:
        from azure.mgmt.compute import ComputeManagementClient  # noqa: PLC0415 - see the class

        return self._open(ComputeManagementClient(self.credential, self.subscription_id, **self._options()))

    @cached_property
    def containers(self) -> ContainerServiceClient:
        from azure.mgmt.containerservice import ContainerServiceClient  # noqa: PLC0415 - see the class

        return self._open(ContainerServiceClient(self.credential, self.subscription_id, **self._options()))

    @cached_property
    def storage(self) -> StorageManagementClient:
        from azure.mgmt.storage import StorageManagementClient  # noqa: PLC0415 - see the class

        return self._open(StorageManagementClient(self.credential, self.subscription_id, **self._options()))

    @cached_property
    def resources(self) -> ResourceManagementClient:
        from azure.mgmt.resource.resources import ResourceManagementClient  # noqa: PLC0415 - see the class

        return self._open(ResourceManagementClient(self.credential, self.subscription_id, **self._options()))

    @cached_property
    def authorization(self) -> AuthorizationManagementClient:
        from azure.mgmt.authorization import AuthorizationManagementClient  # noqa: PLC0415 - see the class

        return self._open(
            AuthorizationManagementClient(self.credential, self.subscription_id, **self._options())
        )

    @cached_property
    def locks(self) -> ManagementLockClient:
        from azure.mgmt.resource.locks import ManagementLockClient  # noqa: PLC0415 - see the class

        return self._open(ManagementLockClient(self.credential, self.subscription_id, **self._options()))

    @cached_property
    def subscriptions(self) -> SubscriptionClient:
        from azure.mgmt.resource.subscriptions import SubscriptionClient  # noqa: PLC0415 - see the class

        return self._open(SubscriptionClient(self.credential, **self._options()))

    def blobs(self, account: str) -> BlobServiceClient:
        """The blob service of a storage account, with Entra ID."""
        from azure.storage.blob import BlobServiceClient, ExponentialRetry  # noqa: PLC0415 - see the class

        # The storage pipeline hands its retry policy options that azure-core's does not take out.
        retries = ExponentialRetry(initial_backoff=1, increment_base=2, retry_total=4, random_jitter_range=1)
        return self._open(
            BlobServiceClient(
                f"https://{account}.blob.core.windows.net",
                credential=self.credential,
                retry_policy=retries,
                transport=transport(self.settings.request_timeout_seconds),
            )
        )
