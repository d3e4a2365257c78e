"""The run records of an environment in its storage account, container `provisioning`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import ValidationError

from gpuplatform.approval.record import RunRecord, RunState
from gpuplatform.approval.transitions import move
from gpuplatform.azure.clients import AzureClients
from gpuplatform.azure.errors import azure_errors
from gpuplatform.environments import Environment
from gpuplatform.errors import Conflict, NotFound, PlatformError, Refused
from gpuplatform.ids import RunId
from gpuplatform.validation import first_problem

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

__all__ = ["RecordStore", "Stored"]

_MAX_BYTES = 256 * 1024 * 1024
"""The largest plan that is kept, in bytes; the largest seen elsewhere are about 30 MB."""


@dataclass(frozen=True)
class Stored:
    """A record as it was read, with the version that the next write must still find."""

    record: RunRecord
    etag: str


class RecordStore:
    """`<environment>/<run>/record.json` and `plan.tfplan`; every write names the version it replaces.

    The plan file holds secrets: this container is the only place where it is kept.
    """

    def __init__(self, clients: AzureClients, environment: Environment) -> None:
        self._clients = clients
        self._environment = environment
        self.account = environment.state_account(clients.subscription_id)
        self._opened: ContainerClient | None = None

    def exists(self) -> bool:
        """Whether the storage account is there. ARM is asked: the name of a missing one does not resolve."""
        group = self._environment.state.resource_group
        try:
            with azure_errors(f"looking for the storage account {self.account}"):
                self._clients.storage.storage_accounts.get_properties(group, self.account)
        except NotFound:
            return False
        return True

    def find(self, run_id: RunId) -> Stored | None:
        """The record of a run; None where the account, the container or the record is not there.

        Also None where we have no right on the blobs yet, which the bootstrap gives: a record that is
        overlooked so cannot be overwritten, because `create` demands that there is none.
        """
        if not self.exists():
            return None
        try:
            return self._read(f"{self._environment.name.value}/{run_id}/record.json")
        except NotFound:
            return None

    def get(self, run_id: RunId) -> Stored:
        """The record of a run.

        Raises:
            NotFound: there is none.
        """
        stored = self.find(run_id)
        if stored is None:
            raise NotFound(f"there is no record of run {run_id} of {self._environment.name.value}")
        return stored

    def create(self, record: RunRecord) -> Stored:
        """Write the first version of a record.

        Raises:
            Conflict: the run has a record already.
        """
        with azure_errors(f"writing the record of run {record.run_id}"):
            answer = self._container.get_blob_client(self._path(record)).upload_blob(
                _bytes(record), metadata=_metadata(record), overwrite=False
            )
        return Stored(record, str(answer["etag"]))

    def save(self, record: RunRecord, etag: str) -> Stored:
        """Replace the version that `etag` names.

        Raises:
            Conflict: somebody else has replaced it.
        """
        from azure.core import MatchConditions  # noqa: PLC0415 - see AzureClients

        try:
            with azure_errors(f"writing the record of run {record.run_id}"):
                answer = self._container.get_blob_client(self._path(record)).upload_blob(
                    _bytes(record),
                    metadata=_metadata(record),
                    overwrite=True,
                    etag=etag,
                    match_condition=MatchConditions.IfNotModified,
                )
        except Conflict as error:
            raise Conflict(
                f"the record of run {record.run_id} was changed by another process: see who else runs it"
            ) from error
        return Stored(record, str(answer["etag"]))

    def put_plan(self, run_id: RunId, content: bytes) -> None:
        """Keep the plan file of a run that has no record yet."""
        if len(content) > _MAX_BYTES:
            raise PlatformError(f"the plan file has {len(content)} bytes, more than {_MAX_BYTES}")
        with azure_errors(f"keeping the plan of run {run_id}"):
            # A retried plan replaces what a broken-off attempt left; the record's digest decides.
            self._container.upload_blob(self._name(run_id, "plan.tfplan"), content, overwrite=True)

    def get_plan(self, run_id: RunId) -> bytes:
        with azure_errors(f"fetching the plan of run {run_id}"):
            return self._container.download_blob(self._name(run_id, "plan.tfplan")).readall()

    def put_errored_state(self, run_id: RunId, content: bytes) -> str:
        """Keep the state that Terraform could not store itself; the blob's name."""
        name = self._name(run_id, "errored.tfstate")
        with azure_errors(f"keeping the state that run {run_id} could not store"):
            self._container.upload_blob(name, content, overwrite=True)
        return name

    def newest(self, *states: RunState) -> RunRecord | None:
        """The record that was last written among those in one of these states."""
        newest: tuple[datetime, str] | None = None
        wanted = {state.value for state in states}
        for name, metadata, modified in self._list():
            if metadata.get("state") in wanted and (newest is None or modified > newest[0]):
                newest = (modified, name)
        stored = self._read(newest[1]) if newest else None
        return stored.record if stored else None

    def expire_overdue(self, now: datetime) -> int:
        """Mark the runs as expired whose plan waited too long; how many there were."""
        waiting = {RunState.PLANNED.value, RunState.AWAITING_APPROVAL.value, RunState.APPROVED.value}
        number = 0
        for name, metadata, _ in list(self._list()):
            if metadata.get("state") not in waiting or metadata.get("expires", "~") > _moment(now):
                continue
            stored = self._read(name)
            if stored.record.state.value in waiting and stored.record.expired(now):
                outcome = f"No decision by {stored.record.expires_at:%Y-%m-%d %H:%M} UTC."
                # Whoever changes it at this moment knows better.
                with suppress(Conflict):
                    self.save(move(stored.record, RunState.EXPIRED, now, outcome=outcome), stored.etag)
                    number += 1
        return number

    @property
    def _container(self) -> ContainerClient:
        if self._opened is None:
            blobs = self._clients.blobs(self.account)
            self._opened = blobs.get_container_client(self._environment.state.records_container)
        return self._opened

    def _name(self, run_id: RunId, file: str) -> str:
        return f"{self._environment.name.value}/{run_id}/{file}"

    def _path(self, record: RunRecord) -> str:
        return self._name(record.run_id, "record.json")

    def _read(self, name: str) -> Stored:
        with _reading(name):
            download = self._container.download_blob(name)
            content = download.readall()
        try:
            return Stored(RunRecord.model_validate_json(content), str(download.properties.etag))
        except ValidationError as error:
            raise PlatformError(f"{name} is not a run record: {first_problem(error)}") from None

    def _list(self) -> list[tuple[str, dict[str, str], datetime]]:
        with _reading(f"the run records of {self._environment.name.value}"):
            return [
                (str(blob.name), dict(blob.metadata or {}), blob.last_modified)
                for blob in self._container.list_blobs(
                    name_starts_with=f"{self._environment.name.value}/", include=["metadata"]
                )
                if str(blob.name).endswith("/record.json")
            ]


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Errors of a read as ours. Our right is on the container, so a missing container answers 403."""
    try:
        with azure_errors(f"reading {what}"):
            yield
    except Refused as error:
        if "AuthorizationPermissionMismatch" not in str(error):
            raise
        raise NotFound(f"{error}; the bootstrap makes the container and gives us the right") from error


def _bytes(record: RunRecord) -> bytes:
    return record.model_dump_json(indent=2).encode()


def _metadata(record: RunRecord) -> dict[str, str]:
    # With these a list shows what would else take a download per record.
    return {"state": record.state.value, "expires": _moment(record.expires_at)}


def _moment(moment: datetime) -> str:
    return f"{moment:%Y%m%dT%H%M%SZ}"
