"""One of something is told in the singular, everything else in the plural."""

from __future__ import annotations

from muniment.text.counts import counted


def test_only_one_is_singular() -> None:
    assert [counted(count, "turn") for count in (0, 1, 2, 2000)] == ["0 turns", "1 turn", "2 turns", "2,000 turns"]
