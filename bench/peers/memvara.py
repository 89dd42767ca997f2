"""memvara (Apache-2.0, on PyPI): bitemporal memory with FTS5 and hashed vectors, without a language model.

Turns are added as `speaker: text` with their time; only verbatim turns are taken from an answer, and its cap on them
(`read_max_episodes`, three by default) is lifted, since no list of three can be compared at ten.
"""

# requires: memvara==0.21.0 pysqlite3-binary==0.5.4.post2

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from datetime import UTC, datetime
from typing import Any

import pysqlite3

HERE = os.path.dirname(os.path.abspath(__file__))
# memvara needs a newer SQLite than many Pythons bring along.
sys.modules["sqlite3"] = pysqlite3
# This file bears the package's own name, so its folder is looked into last.
sys.path = [place for place in sys.path if os.path.abspath(place or ".") != HERE] + [HERE]

import memvara  # noqa: E402
import serving  # noqa: E402

EPISODES_MAX = 100


class Memvara:
    """One store in a temporary file, with memvara's own hashing embedder."""

    title = f"memvara {memvara.__version__}, hashing"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="peer-memvara-")
        self._memory: memvara.Memvara | None = None
        self._path = ""
        self._stores = 0

    def reset(self) -> None:
        """Begin with an empty store."""
        if self._memory:
            self._memory.close()
        self._stores += 1
        self._path = os.path.join(self._folder.name, f"{self._stores}.db")
        self._memory = memvara.Memvara(
            self._path, user="reader", embedder=memvara.HashingEmbedder(), read_max_episodes=EPISODES_MAX
        )

    def ingest(self, items: list[dict[str, Any]]) -> None:
        """One `add` a call."""
        assert self._memory
        said = []
        for item in items:
            text = f"{item['speaker']}: {serving.full(item)}" if item.get("speaker") else serving.full(item)
            turn = {"role": "user", "content": text, "item": item["id"]}
            if at := _moment(item.get("time")):
                turn["ts"] = at
            said.append(turn)
        self._memory.add(said)

    def recall(self, query: str, k: int, now: str | None) -> list[str]:
        """The k best turns."""
        assert self._memory
        found = self._memory.search(query, k=EPISODES_MAX, include_episodes=True)
        turns = [one.episode.meta["item"] for one in found if hasattr(one, "episode")]
        return turns[:k]

    def bytes(self) -> int | None:
        """The file and its log."""
        return serving.files_bytes(self._path)


def _moment(written: str | None) -> datetime | None:
    try:
        at = datetime.fromisoformat(written) if written else None
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at and at.tzinfo is None else at


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    serving.serve(Memvara())
