"""Tenant requests from YAML files, every problem with its file and line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from gpuplatform.environments import EnvironmentName
from gpuplatform.errors import InvalidInput
from gpuplatform.tenants.request import TenantRequest
from gpuplatform.validation import problems

__all__ = ["LoadedTenants", "load_named", "load_tenant", "load_tenants"]

MAX_BYTES = 100_000
"""Largest tenant file that is read; a request is under 2,000 bytes."""


@dataclass(frozen=True)
class LoadedTenants:
    """The requests of one environment, and a sentence for each file that could not be used."""

    requests: tuple[TenantRequest, ...]
    problems: tuple[str, ...] = ()


def load_tenant(path: Path) -> TenantRequest:
    """The request in this file.

    Raises:
        InvalidInput: the file is missing, is not YAML or is wrong; one sentence a problem.
    """
    document, node = _read(path)
    try:
        return TenantRequest.model_validate(document)
    except ValidationError as error:
        places = [_line(node, item["loc"], missing=item["type"] == "missing") for item in error.errors()]
        texts = [text.removeprefix("document: ") for text in problems(error)]
        raise InvalidInput(
            "; ".join(f"{path.name}, line {place}: {text}" for place, text in zip(places, texts, strict=True))
        ) from None


def load_tenants(home: Path, environment: EnvironmentName) -> LoadedTenants:
    """Every request of the environment from `tenants/*.yaml` below `home`, by file name.

    A file that says it is of another environment is passed over, right or wrong. Two files for one team
    are a problem and neither is used: which one counts is not ours to guess.
    """
    found: dict[str, list[tuple[Path, TenantRequest]]] = defaultdict(list)
    wrong: list[str] = []
    for path in tenant_files(home):
        try:
            if _environment(path) not in {None, environment.value}:
                continue
            request = load_tenant(path)
        except InvalidInput as error:
            wrong.append(str(error))
            continue
        found[request.team].append((path, request))
    for team, entries in found.items():
        if len(entries) > 1:
            names = " and ".join(path.name for path, _ in entries)
            wrong.append(f"team {team!r} is asked for twice in {environment.value}: {names}; keep one")
    requests = [entries[0][1] for entries in found.values() if len(entries) == 1]
    return LoadedTenants(tuple(requests), tuple(wrong))


def load_named(home: Path, environment: EnvironmentName, name: str) -> TenantRequest:
    """The request in `tenants/<name>.yaml`, which must be of this environment.

    Raises:
        InvalidInput: there is no such file, it is wrong, or it is of another environment.
    """
    stem = name.removesuffix(".yaml").removesuffix(".yml")
    paths = {path.stem: path for path in tenant_files(home)}
    if stem not in paths:
        known = ", ".join(sorted(paths)) or "none"
        raise InvalidInput(f"there is no tenant file {name[:80]!r} in tenants/; there are: {known}")
    request = load_tenant(paths[stem])
    if request.environment is not environment:
        raise InvalidInput(
            f"{paths[stem].name} is for {request.environment.value}, not for {environment.value}"
        )
    return request


def tenant_files(home: Path) -> Sequence[Path]:
    return sorted(path for path in (home / "tenants").glob("*.y*ml") if path.suffix in {".yaml", ".yml"})


def _read(path: Path) -> tuple[Any, yaml.Node]:
    """The document and its nodes, which know their lines."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InvalidInput(f"{path.name} is larger than {MAX_BYTES} bytes: it is no tenant file")
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path.name} is not UTF-8 text") from None
    except OSError as error:
        raise InvalidInput(f"{path.name} cannot be read: {error.strerror}") from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if not isinstance(node, yaml.MappingNode):
            raise InvalidInput(f"{path.name} is not a tenant request: it holds no `field: value` lines")
        _refuse_repeated(path, node)
        return yaml.safe_load(text), node
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InvalidInput(f"{path.name}, line {line}: this is not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise InvalidInput(f"{path.name} is not YAML: {str(error).splitlines()[0]}") from None
    except (ValueError, TypeError, RecursionError) as error:
        # What PyYAML's constructors raise for values that look like a date or a number and are none.
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).splitlines()[0]
        raise InvalidInput(f"{path.name}: a value cannot be read: {why}; quote it if it is a text") from None


def _refuse_repeated(path: Path, node: yaml.MappingNode) -> None:
    """YAML's loader takes the last of two equal keys without a word."""
    seen: dict[str, int] = {}
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if key.value in seen:
            raise InvalidInput(
                f"{path.name}, line {line}: {key.value} is given twice (first on line {seen[key.value]})"
            )
        seen[key.value] = line


def _environment(path: Path) -> str | None:
    """The environment that the file names, as it stands there; None where it names none."""
    document, _ = _read(path)
    value = document.get("environment")
    known = {name.value for name in EnvironmentName}
    return value if isinstance(value, str) and value in known else None


def _line(node: yaml.Node, place: tuple[str | int, ...], *, missing: bool) -> int:
    """The line of a field; of the mapping around it where it is missing."""
    line = node.start_mark.line + 1
    for part in place[:-1] if missing else place:
        if isinstance(node, yaml.MappingNode):
            entry = next(((key, value) for key, value in node.value if key.value == str(part)), None)
            if entry is None:
                return line
            line, node = entry[0].start_mark.line + 1, entry[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return line
    return line
