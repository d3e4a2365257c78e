"""Small Markdown pieces: tables, escaped cells, counts in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["cell", "count", "table"]


def cell(value: object) -> str:
    """A value as the content of a table cell: one line, with pipes escaped; None is a dash."""
    if value is None or value == "":
        return "–"
    return " ".join(str(value).split()).replace("|", "\\|")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; columns whose header ends in `:` are right-aligned (for numbers)."""
    titles = [title.removesuffix(":") for title in header]
    rule = ["---:" if title.endswith(":") else "---" for title in header]
    lines = [titles, rule, *[[cell(value) for value in row] for row in rows]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 node`, `3 nodes`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
