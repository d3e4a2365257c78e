"""What the demo prints: lines as they are, and Markdown whose tables lose nothing."""

from __future__ import annotations

import sys

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, TableElement
from rich.table import Table

__all__ = ["say", "show_markdown"]

_console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)


def say(text: str) -> None:
    """One line of progress; the terminal breaks it where it must, a file gets it whole."""
    _console.print(text, markup=False, soft_wrap=True)


def show_markdown(text: str) -> None:
    """Markdown as text."""
    _console.print(_WholeTables(text))


class _FoldedTable(TableElement):
    """A table whose cells are folded where they are too long, not cut."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for part in super().__rich_console__(console, options):
            if isinstance(part, Table):
                for column in part.columns:
                    column.overflow = "fold"
            yield part


class _WholeTables(Markdown):
    elements = {**Markdown.elements, "table_open": _FoldedTable}  # noqa: RUF012 - as the base class has it
