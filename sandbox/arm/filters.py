"""The few OData filters that clients of these types send."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sandbox.arm.errors import ArmError

if TYPE_CHECKING:
    from sandbox.arm.store import Resource

__all__ = ["clauses", "equals", "matches_resource_filter", "matches_tag_filter"]

_EQUALS = re.compile(r"\s*(\w+)\s+eq\s+'((?:[^']|'')*)'\s*", re.IGNORECASE)


def clauses(text: str) -> list[str]:
    """The parts of a filter joined by `and`."""
    return [part.strip() for part in re.split(r"\s+and\s+", text.strip(), flags=re.IGNORECASE)]


def equals(text: str) -> tuple[str, str]:
    """`name eq 'value'` as a lower-cased name and the value.

    Raises:
        ArmError: 400 InvalidFilterInQueryString for any other form.
    """
    found = _EQUALS.fullmatch(text)
    if found is None:
        raise ArmError(
            400, "InvalidFilterInQueryString", f"Invalid $filter '{text}' specified in the query string."
        )
    return found[1].lower(), found[2].replace("''", "'")


def matches_tag_filter(resource: Resource, text: str) -> bool:
    """`tagName eq 'x' and tagValue eq 'y'`."""
    wanted = dict(equals(clause) for clause in clauses(text))
    if not set(wanted) <= {"tagname", "tagvalue"}:
        raise ArmError(
            400, "InvalidFilterInQueryString", f"Invalid $filter '{text}' specified in the query string."
        )
    tags = resource.get("tags", {})
    name = wanted.get("tagname", "")
    return name in tags and wanted.get("tagvalue", tags[name]) == tags[name]


def matches_resource_filter(resource: Resource, text: str) -> bool:
    """`resourceType`, `resourceGroup`, `name`, `location`, `tagName`, `tagValue` compared with a value."""
    wanted = dict(equals(clause) for clause in clauses(text))
    segments = resource["id"].split("/")
    have = {
        "resourcetype": resource["type"],
        "resourcegroup": segments[4] if len(segments) > 4 else "",
        "name": resource["name"],
        "location": resource.get("location", ""),
    }
    tags = {key: wanted.pop(key) for key in ("tagname", "tagvalue") if key in wanted}
    if not set(wanted) <= set(have):
        raise ArmError(
            400, "InvalidFilterInQueryString", f"Invalid $filter '{text}' specified in the query string."
        )
    if tags and not matches_tag_filter(resource, " and ".join(f"{k} eq '{v}'" for k, v in tags.items())):
        return False
    return all(have[key].lower() == value.lower() for key, value in wanted.items())
