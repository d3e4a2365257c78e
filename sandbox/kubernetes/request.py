"""What a request is about: path, verb, user, options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from sandbox.kubernetes.jsontypes import Json
from sandbox.kubernetes.resources import Catalog, Resource

__all__ = ["Call", "Target", "User", "parse_path"]


@dataclass(frozen=True)
class User:
    """Who is calling."""

    username: str
    groups: tuple[str, ...]
    uid: str = ""
    extra: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class Target:
    """The parts of an API path; `parts` is None for a path outside /api and /apis."""

    group: str = ""
    version: str = ""
    plural: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    is_resource: bool = False
    malformed: bool = False


@dataclass
class Call:
    """One request after authentication."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    user: User
    target: Target
    resource: Resource | None = None
    warnings: list[str] = field(default_factory=list)
    stream: Json = None

    @property
    def dry_run(self) -> bool:
        return self.query.get("dryRun") == "All"

    @property
    def manager(self) -> str:
        """The field manager: the option, else the User-Agent up to its first slash."""
        if name := self.query.get("fieldManager"):
            return name
        return self.headers.get("User-Agent", "unknown").split("/")[0] or "unknown"

    def quiet(self) -> Call:
        """The same call, its warnings going nowhere."""
        return replace(self, warnings=[], query={**self.query, "fieldValidation": "Ignore"})

    def with_resource(self, resource: Resource) -> Call:
        return replace(self, resource=resource)


def parse_path(path: str, catalog: Catalog) -> Target:
    """Takes an API path apart, whether or not what it names exists."""
    parts = path.split("/")[1:]
    if parts and parts[-1] == "":
        parts = parts[:-1]
    parts = [unquote(part) for part in parts]
    if not parts or "" in parts or parts[0] not in ("api", "apis"):
        return Target(malformed="" in parts)
    skip = 1 if parts[0] == "api" else 2
    if len(parts) <= skip + 1:
        return Target()
    group = "" if parts[0] == "api" else parts[1]
    version, rest = parts[skip], parts[skip + 1 :]
    namespace = ""
    if rest[0] == "watch":
        rest = rest[1:] or rest
    if rest[0] == "namespaces" and len(rest) > 1:
        namespace = rest[1]
        inner = rest[2:]
        is_object = not inner or (group == "" and inner[0] in ("status", "finalize"))
        if is_object:
            return Target(
                group, version, "namespaces", rest[1], rest[1], inner[0] if inner else "", is_resource=True
            )
        rest = inner
    del catalog
    return Target(
        group,
        version,
        rest[0],
        namespace,
        rest[1] if len(rest) > 1 else "",
        rest[2] if len(rest) > 2 else "",
        is_resource=True,
        malformed=len(rest) > 3,
    )


def verb(call: Call) -> str:
    """The RBAC verb of a resource request."""
    method = call.method
    if method in ("GET", "HEAD"):
        if call.target.name:
            return "get"
        return "watch" if call.query.get("watch", "0").lower() not in ("0", "false", "f", "") else "list"
    if method == "DELETE":
        return "delete" if call.target.name else "deletecollection"
    return {"POST": "create", "PUT": "update", "PATCH": "patch"}.get(method, method.lower())
