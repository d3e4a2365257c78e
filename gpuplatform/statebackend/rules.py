"""How a state account has to be set, and what of that an actual one lacks: pure decisions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from uuid import NAMESPACE_URL, uuid5

from gpuplatform.ids import ObjectId, ResourceId, SubscriptionId

__all__ = [
    "BLOB_CONTRIBUTOR",
    "AccountSettings",
    "Difference",
    "RecoverySettings",
    "account_differences",
    "assignment_name",
    "has_role",
    "proposed_name",
    "recovery_differences",
    "role_id",
]

BLOB_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
"""The id of the built-in role Storage Blob Data Contributor, the same in every subscription."""
_BLOB_OWNER = "b7e6dc6d-f1e8-4753-8033-0f276bb0955b"
"""Storage Blob Data Owner, which includes it."""

_TLS_VERSIONS = ("TLS1_0", "TLS1_1", "TLS1_2", "TLS1_3")


@dataclass(frozen=True)
class AccountSettings:
    """The settings of a storage account that protect the state. None: the account does not say."""

    https_only: bool | None = True
    minimum_tls: str | None = "TLS1_2"
    public_blobs: bool | None = False
    shared_keys: bool | None = False
    cross_tenant_replication: bool | None = False


@dataclass(frozen=True)
class RecoverySettings:
    """The settings with which a lost state is brought back; days of 0 mean off."""

    versioning: bool
    blob_days: int
    container_days: int


@dataclass(frozen=True)
class Difference:
    """One setting that is not as it has to be."""

    setting: str
    actual: object
    desired: object

    def __str__(self) -> str:
        return f"{self.setting} {self.actual} → {self.desired}"


def account_differences(actual: AccountSettings) -> tuple[Difference, ...]:
    """What has to be changed on an account; a stricter TLS version is fine.

    An absent setting counts as different: Azure's defaults for it are the open ones.
    """
    desired = AccountSettings()
    found = []
    for item in fields(AccountSettings):
        have, want = getattr(actual, item.name), getattr(desired, item.name)
        if item.name == "minimum_tls" and _tls(have) >= _tls(want):
            continue
        if have != want:
            found.append(Difference(item.name.replace("_", " "), have, want))
    return tuple(found)


def recovery_differences(actual: RecoverySettings, days: int) -> tuple[Difference, ...]:
    """What has to be changed on the blob service so that deleted blobs live on for `days`; more is fine."""
    found = []
    if not actual.versioning:
        found.append(Difference("versioning", False, True))
    if actual.blob_days < days:
        found.append(Difference("days deleted blobs are kept", actual.blob_days, days))
    if actual.container_days < days:
        found.append(Difference("days deleted containers are kept", actual.container_days, days))
    return tuple(found)


def _tls(version: str | None) -> int:
    return _TLS_VERSIONS.index(version) if version in _TLS_VERSIONS else -1


def role_id(subscription_id: str, role: str = BLOB_CONTRIBUTOR) -> ResourceId:
    return ResourceId(
        f"/subscriptions/{subscription_id}/providers/Microsoft.Authorization/roleDefinitions/{role}"
    )


def has_role(assignments: Iterable[tuple[str, str]], scope: str) -> bool:
    """Whether one of these (role definition id, scope) gives write access to the blobs at the scope.

    Assignments of the scope's parents count too; ids are compared without their case.
    """
    wanted = scope.lower().rstrip("/")
    for role, at in assignments:
        above = at.lower().rstrip("/")
        covers = wanted == above or wanted.startswith(f"{above}/")
        if covers and role.rsplit("/", 1)[-1].lower() in {BLOB_CONTRIBUTOR, _BLOB_OWNER}:
            return True
    return False


def assignment_name(scope: str, principal: ObjectId) -> str:
    """The name of our role assignment: the same for the same scope and principal, so made once."""
    return str(uuid5(NAMESPACE_URL, f"{scope.lower()}|{principal.lower()}|{BLOB_CONTRIBUTOR}"))


def proposed_name(taken: str, subscription_id: SubscriptionId | str) -> str:
    """Another name for a storage account whose name is somebody else's (3–24 of [a-z0-9])."""
    suffix = hashlib.sha256(f"{taken}|{subscription_id}".lower().encode()).hexdigest()[:6]
    return f"{taken[: 24 - len(suffix)]}{suffix}"
