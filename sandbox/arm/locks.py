"""Management locks, enforced as ARM does: on the locked scope and everything below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.errors import ArmError
from sandbox.arm.ids import below

if TYPE_CHECKING:
    from sandbox.arm.store import Store

__all__ = ["LOCKS", "check_delete", "check_write", "scope_of"]

LOCKS = "Microsoft.Authorization/locks"


def scope_of(lock_id: str) -> str:
    """The scope that a lock protects, from the lock's own id."""
    return lock_id[: lock_id.lower().rindex("/providers/microsoft.authorization/locks/")]


def check_write(store: Store, scope: str) -> None:
    """Refuse a write (or an action) at a scope under a ReadOnly lock."""
    _refuse(scope, "write", [at for at, level in _locks(store) if level == "ReadOnly" and below(scope, at)])


def check_delete(store: Store, scope: str) -> None:
    """Refuse a deletion when the scope, something above or something inside it is locked."""
    _refuse(scope, "delete", [at for at, _ in _locks(store) if below(scope, at) or below(at, scope)])


def _locks(store: Store) -> list[tuple[str, str]]:
    return [(scope_of(lock["id"]), lock["properties"]["level"]) for lock in store.all(LOCKS)]


def _refuse(scope: str, verb: str, locked: list[str]) -> None:
    if locked:
        listed = ", ".join(f"'{at}'" for at in sorted(set(locked)))
        raise ArmError(
            409,
            "ScopeLocked",
            f"The scope '{scope}' cannot perform {verb} operation because following scope(s) are locked: "
            f"{listed}. Please remove the lock and try again.",
        )
