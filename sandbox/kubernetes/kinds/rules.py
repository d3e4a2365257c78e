"""What is special about a kind: the hooks that its own file may fill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sandbox.kubernetes.field_errors import FieldError
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.names import dns_subdomain_errors

__all__ = ["KindRules", "no_errors", "nothing"]


def nothing(_obj: Object) -> None:
    """The default of a hook that changes an object."""


def no_errors(_obj: Object) -> list[FieldError]:
    return []


def _no_update_errors(_new: Object, _old: Object) -> list[FieldError]:
    return []


def _prepare(_new: Object, _old: Object | None) -> None:
    """Nothing to prepare."""


@dataclass(frozen=True)
class KindRules:
    """Hooks of one kind, in the order a write calls them."""

    default: Callable[[Object], None] = nothing
    """Defaults that depend on other fields; runs after the plain ones of the data file."""
    prepare: Callable[[Object, Object | None], None] = _prepare
    """Before validation: (new, old or None on creation)."""
    validate: Callable[[Object], list[FieldError]] = no_errors
    validate_update: Callable[[Object, Object], list[FieldError]] = _no_update_errors
    """(new, old); runs besides `validate`."""
    validate_status: Callable[[Object], list[FieldError]] = no_errors
    """Of a write to the status subresource."""
    validate_status_update: Callable[[Object, Object], list[FieldError]] = _no_update_errors
    """(new, old) of a write to the status subresource."""
    name_errors: Callable[[str], list[str]] = dns_subdomain_errors
    generation: bool = False
    """Whether metadata.generation counts changes of the spec."""
    update_creates: bool = False
    """Whether a PUT of a missing object creates it."""
    warn: Callable[[Object, Object | None], list[str]] = lambda _new, _old: []
