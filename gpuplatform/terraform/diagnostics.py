"""Terraform's diagnostics as one of our errors, with one sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpuplatform.errors import Conflict, InvalidInput, NotFound, PlatformError, Refused, Retryable
from gpuplatform.scrubbing import cap
from gpuplatform.terraform.events import Diagnostic, Stream

__all__ = ["as_error", "sentence"]

# Terraform adds this after the message that the configuration's author wrote.
_VALIDATION_NOTE = re.compile(r"\s*This was checked by the validation rule at .*", re.DOTALL)
# What 1.12 and later say before the error itself.
_PREAMBLE = "Terraform encountered problems during initiali"
_AUTHORED = frozenset(
    {
        "Invalid value for variable",
        "Resource precondition failed",
        "Resource postcondition failed",
        "Module output value precondition failed",
    }
)
_PASSING = re.compile(
    r"connection (?:reset|refused)|i/o timeout|TLS handshake timeout|unexpected EOF|no route to host"
    r"|\b(?:429|5\d\d)\b[^.\n]{0,40}(?:Too Many|Internal Server|Bad Gateway|Unavailable|Gateway Time)"
    r"|ServerBusy|TooManyRequests|OperationTimedOut|text file busy|context deadline exceeded",
    re.IGNORECASE,
)
_LOCK_FIELD = re.compile(r"^\s*(ID|Who|Created|Operation):[ \t]*(.+?)\s*$", re.MULTILINE)


def as_error(activity: str, stream: Stream, stderr: str, *, retryable: bool) -> PlatformError:
    """The error of a Terraform command that failed.

    Args:
        activity: what was being done, such as "planning dev"; the text begins with it, except where the
            configuration's author wrote the sentence.
        retryable: whether a passing fault may become `Retryable`: never for an apply.
    """
    errors = [error for error in stream.errors if not error.summary.startswith(_PREAMBLE)] or stream.errors
    if not errors:
        said = stderr.strip() or "\n".join(stream.plain).strip() or "Terraform gave no reason"
        return PlatformError(f"{activity}: {cap(' '.join(said.split()), 800)}")
    first = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    if first.summary in _AUTHORED:
        return InvalidInput(f"{sentence(first)}{more}")
    if "acquiring the state lock" in first.summary or "locked" in first.summary.lower():
        return Conflict(f"{activity}: {_lock(first)}")
    whole = f"{first.summary} {first.detail}"
    text = f"{activity}: {sentence(first)}{more}"
    if "Saved plan is stale" in first.summary:
        return Refused(
            f"{activity}: the state changed after the plan was made: start a new run, which plans again"
        )
    if "ContainerNotFound" in whole or "container does not exist" in whole:
        return NotFound(f"{activity}: the state container does not exist: run bootstrap-state first")
    if any(word in whole for word in ("AuthorizationFailed", "AuthorizationPermissionMismatch")):
        return Refused(text)
    if retryable and _PASSING.search(_all(errors)):
        return Retryable(text)
    return PlatformError(text)


def sentence(diagnostic: Diagnostic) -> str:
    """What is wrong and where, on one line."""
    detail = _VALIDATION_NOTE.sub("", diagnostic.detail).strip()
    if diagnostic.summary in _AUTHORED and detail:
        return " ".join(detail.split())
    first = " ".join(detail.split("\n\n", 1)[0].split())
    summary = " ".join(diagnostic.summary.split())
    text = f"{summary}: {first}" if first else summary
    # The files of a run are a copy that is gone by now; their names are those of terraform/.
    name = diagnostic.filename
    if name.startswith("/"):
        name = "terraform/" + name.rsplit("/configuration/", 1)[-1]
    place = diagnostic.address or (f"{name}:{diagnostic.line}" if name and diagnostic.line else "")
    return cap(f"{text} ({place})" if place else text, 1_000)


def _lock(diagnostic: Diagnostic) -> str:
    fields = dict(_LOCK_FIELD.findall(diagnostic.detail))
    if "Who" not in fields:
        return (
            "the state is locked, but by whom is not recorded:"
            " break the lease on its blob when no run is active"
        )
    since = fields.get("Created", "").split(".", 1)[0]
    operation = fields.get("Operation", "").removeprefix("OperationType").lower()
    doing = f" ({operation})" if operation else ""
    when = f" since {since} UTC" if since else ""
    return (
        f"the state is locked by {fields['Who']}{doing}{when}, lock {fields.get('ID', '?')}:"
        " try again when that run has ended, or `terraform force-unlock` it if the run was killed"
    )


def _all(errors: Sequence[Diagnostic]) -> str:
    return "\n".join(f"{item.summary} {item.detail}" for item in errors)
