"""Other memory systems in the same run: each a process of its own that speaks JSON lines (`bench/peers/serving.py`).

A peer runs in its own environment, so nothing of it is ever imported here or needed by Muniment.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from muniment.errors import EngineUnavailable, InvalidInput
from muniment.evaluation.collections import Collection, Item, Question
from muniment.evaluation.foreign import moment
from muniment.evaluation.systems import Answer

FOLDER = Path("bench") / "peers"
ENVIRONMENTS = ".environments"
ITEMS_A_CALL = 1000
NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


class Peer:
    """A peer's process, started for a run and ended with it."""

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        self.name = name
        try:
            self._process = subprocess.Popen(command(name, folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as fault:
            raise EngineUnavailable(f"The peer {name} cannot be started ({fault}).", _install(name, folder)) from fault
        self._folder = folder
        self.title = str(self.say({"op": "title"})["title"])

    def keep(self, collection: Collection) -> None:
        """Give the peer a collection in place of the one before."""
        self.say({"op": "reset"})
        for start in range(0, len(collection.items), ITEMS_A_CALL):
            part = collection.items[start : start + ITEMS_A_CALL]
            self.say({"op": "ingest", "items": [plain(item) for item in part]})

    def ask(self, question: Question, k: int) -> Answer:
        """The peer's ranking, with the CPU time it says it spent."""
        answer = self.say({"op": "recall", "query": question.text, "k": k, "now": question.now})
        return Answer(tuple(map(str, answer["ids"])), bool(answer.get("abstained")), float(answer.get("cpu_ms", 0)))

    def say(self, message: dict[str, Any]) -> dict[str, Any]:
        """One message and its answer. Raises EngineUnavailable when the peer fails or ends."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            code = self._process.wait()
            raise EngineUnavailable(f"The peer {self.name} ended with {code}.", _install(self.name, self._folder))
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise EngineUnavailable(f"The peer {self.name} failed: {answer['error']}.", "Leave it out, or repair its adapter.")
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def command(name: str, folder: Path) -> Sequence[str]:
    """How a peer is started: its adapter, in its own environment where it has one."""
    adapter = folder / f"{name}.py"
    if not NAME.fullmatch(name) or not adapter.is_file():
        raise InvalidInput(
            f"There is no peer {name!r} in {folder}.", "Run it in a checkout of the repository, or name --peers."
        )
    inside = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    own = (folder / ENVIRONMENTS / name / inside).absolute()
    if "# requires:" in adapter.read_text(encoding="utf-8") and not own.exists():
        raise EngineUnavailable(f"The peer {name} is not installed.", _install(name, folder))
    return [str(own) if own.exists() else sys.executable, str(adapter.absolute())]


def plain(item: Item) -> dict[str, Any]:
    """An item as peers are told it, its time as ISO 8601."""
    return {name: value for name, value in (asdict(item) | {"time": moment(item.time)}).items() if value is not None}


def _install(name: str, folder: Path) -> str:
    return f"Run `{folder / 'install'} {name}` and try again."
