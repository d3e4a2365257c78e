"""The sandbox's memory: named tables of JSON documents, kept over a restart."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

__all__ = ["State", "Table"]


class Table(MutableMapping[str, Any]):
    """A mapping from string keys to JSON values, written through to SQLite.

    Reads come from memory. A value taken out is the stored object itself: to change it, change a
    copy and assign it back, otherwise the change is not kept.
    """

    def __init__(self, database: sqlite3.Connection, name: str) -> None:
        self._database = database
        self._name = name
        rows = database.execute("SELECT key, value FROM documents WHERE tbl = ?", (name,))
        self._rows: dict[str, Any] = {key: json.loads(value) for key, value in rows}

    def __getitem__(self, key: str) -> Any:
        return self._rows[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._database.execute(
            "INSERT INTO documents (tbl, key, value) VALUES (?, ?, ?)"
            " ON CONFLICT (tbl, key) DO UPDATE SET value = excluded.value",
            (self._name, key, json.dumps(value)),
        )
        self._rows[key] = value

    def __delitem__(self, key: str) -> None:
        del self._rows[key]
        self._database.execute("DELETE FROM documents WHERE tbl = ? AND key = ?", (self._name, key))

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._rows))

    def __len__(self) -> int:
        return len(self._rows)


class State:
    """All tables of one sandbox, in one SQLite file (or in memory when `path` is None)."""

    def __init__(self, path: Path | None = None) -> None:
        # Every write is one statement and commits by itself; WAL keeps a killed process consistent.
        self._database = sqlite3.connect(
            ":memory:" if path is None else path, isolation_level=None, check_same_thread=False
        )
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS documents"
            " (tbl TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (tbl, key))"
        )
        self._tables: dict[str, Table] = {}

    def table(self, name: str) -> Table:
        """The table of this name; the same object for the same name."""
        if name not in self._tables:
            self._tables[name] = Table(self._database, name)
        return self._tables[name]

    def drop(self, name: str) -> None:
        """Forget a table and its rows."""
        self._tables.pop(name, None)
        self._database.execute("DELETE FROM documents WHERE tbl = ?", (name,))

    def close(self) -> None:
        self._database.close()
