"""SQLite's FTS5 as most programs use it: porter stems, bm25(), the question's words joined by OR. No package to install."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import tempfile
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving

# The words a careful program drops; with them in the question, OR finds nearly every row.
STOP = set(
    "a about all am an and any are as at be been but by can could did do does for from had has have he her him his how i if in "
    "into is it its me my no not of on or our she should so some than that the their them then there they this to was we were "
    "what when where which who whom whose why will with would you your".split()
)


class Fts5:
    """One table in a temporary file."""

    title = f"FTS5 of SQLite {sqlite3.sqlite_version}, porter"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="peer-fts5-")
        self._path = os.path.join(self._folder.name, "fts5.db")
        self._db: sqlite3.Connection | None = None

    def reset(self) -> None:
        """Begin with an empty file."""
        if self._db:
            self._db.close()
        for end in ("", "-wal", "-shm"):
            if os.path.exists(self._path + end):
                os.unlink(self._path + end)
        self._db = sqlite3.connect(self._path)
        self._db.execute("PRAGMA journal_mode = wal")
        self._db.execute("CREATE VIRTUAL TABLE said USING fts5(text, id UNINDEXED, tokenize = 'porter unicode61')")

    def ingest(self, items: list[dict[str, Any]]) -> None:
        """One transaction a call."""
        assert self._db
        rows = (
            (f"{item['speaker']}: {serving.full(item)}" if item.get("speaker") else serving.full(item), item["id"])
            for item in items
        )
        with self._db:
            self._db.executemany("INSERT INTO said (text, id) VALUES (?, ?)", rows)

    def recall(self, query: str, k: int, now: str | None) -> list[str]:
        """The k best by bm25."""
        assert self._db
        words = [word for word in re.findall(r"\w+", query.lower()) if word not in STOP]
        if not words:
            return []
        wanted = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        found = self._db.execute("SELECT id FROM said WHERE said MATCH ? ORDER BY bm25(said) LIMIT ?", (wanted, k))
        return [row[0] for row in found]

    def bytes(self) -> int | None:
        """The file and its log."""
        return serving.files_bytes(self._path)


if __name__ == "__main__":
    serving.serve(Fts5())
