"""Pydantic's errors as one sentence: where, what, and what would be right."""

from __future__ import annotations

from pydantic import ValidationError

__all__ = ["first_problem", "problems"]


def problems(error: ValidationError) -> list[str]:
    """Every problem as `field.path: what is wrong (got value)`; the value only where it is short."""
    lines = []
    for item in error.errors(include_url=False, include_context=False):
        place = ".".join(str(part) for part in item["loc"]) or "document"
        message = item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            message = "unknown field"
        elif item["type"] == "missing":
            message = "is required"
        elif isinstance(item["input"], str | int | float | bool) and len(str(item["input"])) <= 60:
            message = f"{message} (got {item['input']!r})"
        lines.append(f"{place}: {message}")
    return lines


def first_problem(error: ValidationError) -> str:
    """The first problem, with the number of further ones."""
    lines = problems(error)
    more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
    return lines[0] + more
