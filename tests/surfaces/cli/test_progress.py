"""Progress is for eyes alone, and only for what takes a while."""

from __future__ import annotations

import io
import sys

import pytest

from muniment.surfaces.cli import progress
from muniment.surfaces.cli.call import Call


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, call: Call, patience: float) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE_S", patience)
    with progress.bar(call, "Keeping", 10) as advance:
        for _ in range(10):
            advance(1)
    return stream.getvalue()


def test_a_bar_appears_once_the_work_takes_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Keeping" in drawn(monkeypatch, Terminal(), Call(), -1)
    assert drawn(monkeypatch, Terminal(), Call(), 60) == ""


def test_nobody_who_does_not_watch_sees_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(monkeypatch, io.StringIO(), Call(), -1) == ""
    assert drawn(monkeypatch, Terminal(), Call(quiet=True), -1) == ""
    assert drawn(monkeypatch, Terminal(), Call(as_json=True), -1) == ""
