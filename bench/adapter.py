"""Muniment for a scorer outside this repository: `reset`, `ingest(items)`, `recall(query, k, now)`, as a class or as a process.

    --system "bench.adapter:Memory"                     in the scorer's own process
    --system "cmd:python -m bench.adapter"              one JSON object a line, each way (see bench/peers/serving.py)
    --system "cmd:python -m bench.adapter --embedder none"

It keeps and asks exactly as `muniment eval` does: one workspace for what is ingested after a `reset`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from muniment.evaluation.collections import Item, Question
from muniment.evaluation.subject import EMBEDDERS, Muniment

FIELDS = ("id", "text", "speaker", "session", "time", "note")


class Memory:
    """One store for the whole run, removed at its end."""

    def __init__(self, embedder: str = "default") -> None:
        self._muniment = Muniment(embedder)
        self._resets = 0
        self.title = self._muniment.title

    def reset(self) -> None:
        """Go on in an empty workspace."""
        self._resets += 1
        self._muniment.begin(f"scored-{self._resets}")

    def ingest(self, items: list[dict[str, Any]]) -> None:
        """Keep items, their vectors included."""
        self._muniment.add(
            tuple(Item(**{name: str(item[name]) for name in FIELDS if item.get(name) is not None}) for item in items)
        )

    def recall(self, query: str, k: int, now: str | None = None) -> list[str]:
        """Item ids, best first."""
        return list(self._muniment.ask(Question("", query, (), "", now=now), k).ids)

    def bytes(self) -> int | None:
        """What the store takes on disk."""
        return self._muniment.context.store.bytes()


def main() -> None:
    """Speak the protocol on stdin and stdout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", choices=EMBEDDERS, default="default")
    sys.path.insert(0, str(Path(__file__).parent / "peers"))
    import serving

    serving.serve(Memory(parser.parse_args().embedder))


if __name__ == "__main__":
    main()
