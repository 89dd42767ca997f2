"""The protocol that peers speak: one JSON object a line, each way. Standard library only; it runs in a peer's own environment.

    {"op": "title"}                                        -> {"title": "name and version"}
    {"op": "reset"}                                        -> {}
    {"op": "ingest", "items": [{"id", "text", "speaker"?, "session"?, "time"?, "note"?}]}  -> {}
    {"op": "recall", "query": "...", "k": 20, "now": null} -> {"ids": [...], "abstained"?: true}
    {"op": "cost"}                                         -> {"rss_mib": 41.2, "bytes": 1234}

Every answer also bears `cpu_ms`, what this process spent on it. An answer may be {"error": "..."} instead.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, Protocol


class Peer(Protocol):
    """A memory system. `bytes` is what it keeps on disk, or None."""

    title: str

    def reset(self) -> None: ...

    def ingest(self, items: list[dict[str, Any]]) -> None: ...

    def recall(self, query: str, k: int, now: str | None) -> list[str]: ...

    def bytes(self) -> int | None: ...


def serve(peer: Peer) -> None:
    """Answer until the other side closes. What a peer prints must not get between the answers."""
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        message = json.loads(line)
        started = time.process_time()
        try:
            answer = _answer(peer, message)
        except Exception as fault:  # the other side has to hear of it, whatever it is
            answer = {"error": f"{type(fault).__name__}: {fault}"}
        answer["cpu_ms"] = 1000 * (time.process_time() - started)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _answer(peer: Peer, message: dict[str, Any]) -> dict[str, Any]:
    match message["op"]:
        case "title":
            return {"title": peer.title}
        case "reset":
            peer.reset()
            return {}
        case "ingest":
            peer.ingest(message["items"])
            return {}
        case "recall":
            return {"ids": peer.recall(message["query"], message["k"], message.get("now"))}
        case "cost":
            return {"rss_mib": rss_mib(), "bytes": peer.bytes()}
        case unknown:
            return {"error": f"there is no op {unknown!r}"}


def rss_mib() -> float:
    """Resident memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def full(item: dict[str, Any]) -> str:
    """An item's text with what came along with it."""
    return f"{item['text']} {item['note']}" if item.get("note") else str(item["text"])


def files_bytes(path: str) -> int:
    """A database file with its companions."""
    return sum(os.path.getsize(path + end) for end in ("", "-wal", "-shm") if os.path.exists(path + end))
