"""Columns and cells of each kind's table."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from sandbox.kubernetes import cells
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.resources import Resource

__all__ = ["age", "printer"]

Cells = Callable[[Object], list[Any]]


@cache
def _data() -> Any:
    return json.loads((Path(__file__).parent / "data" / "columns.json").read_text(encoding="utf-8"))


def _column(name: str, kind: str, priority: int, text: str) -> Object:
    shown = _data()["texts"].get(text, text)
    form = "name" if name == "Name" else ""
    return {"name": name, "type": kind, "format": form, "description": shown, "priority": priority}


def age(timestamp: str | None) -> str:
    """How long ago, as kubectl writes it: 5s, 3m12s, 4h, 6d."""
    if not timestamp:
        return "<unknown>"
    then = dt.datetime.fromisoformat(timestamp)
    return duration(int((dt.datetime.now(dt.UTC) - then).total_seconds()))


def duration(seconds: int) -> str:
    seconds = max(seconds, 0)
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return f"{minutes}m{seconds % 60}s" if seconds % 60 else f"{minutes}m"
    if hours < 3:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h{minutes % 60}m" if minutes % 60 else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return f"{days}d{hours % 24}h" if hours % 24 else f"{days}d"
    return f"{days}d" if days < 730 else f"{days // 365}y"


def _path_cell(obj: Object, path: str, kind: str) -> Any:
    if path.startswith("?"):
        for condition in at(obj, "status", "conditions") or ():
            if condition["type"] == path[1:]:
                return condition["status"]
        return ""
    value = at(obj, *path.split("."))
    if value is None:
        return None if kind != "string" else ""
    if kind == "date":
        return age(value)
    return value


def printer(resource: Resource) -> tuple[list[Object], Cells]:
    """Column definitions and the function that makes an object's cells."""
    data = _data()
    if resource.custom:
        extra = data["custom"].get(resource.key) or [
            ["Age", "date", 0, "$created", "metadata.creationTimestamp"]
        ]
        columns = [_column("Name", "string", 0, "$name")] + [_column(*item[:4]) for item in extra]
        return columns, lambda obj: [
            obj["metadata"]["name"],
            *(_path_cell(obj, item[4], item[1]) for item in extra),
        ]
    listed = data["builtin"].get(resource.key)
    make = cells.BY_KEY.get(resource.key)
    if listed is None or make is None:
        columns = [_column("Name", "string", 0, "$name"), _column("Created At", "date", 0, "$created")]
        if listed is not None:
            columns = [_column(*item) for item in listed]
        return columns, lambda obj: [obj["metadata"]["name"], obj["metadata"].get("creationTimestamp")]
    return [_column(*item) for item in listed], lambda obj: [
        obj["metadata"]["name"] if listed[0][0] == "Name" else None,
        *make(obj, age),
    ][0 if listed[0][0] == "Name" else 1 :]
