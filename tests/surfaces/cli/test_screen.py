"""How stored things look on a terminal."""

from __future__ import annotations

import pytest

from muniment.surfaces.cli.screen import day_and_time, line, safe


@pytest.mark.parametrize(
    ("iso", "zone_known", "shown"),
    [
        ("2026-03-12T14:30:00+01:00", True, "2026-03-12 14:30 +01:00"),
        ("2026-03-12T14:30:00+00:00", True, "2026-03-12 14:30 UTC"),
        ("2026-03-12T14:30:00.123-05:30", True, "2026-03-12 14:30 -05:30"),
        ("2026-03-12T14:30:00", False, "2026-03-12 14:30 zone unknown"),
        ("2026-03-12T14:30:00", True, "2026-03-12 14:30"),
        (None, True, "undated"),
        ("soon", True, "soon"),
    ],
)
def test_a_time_is_shown_with_what_is_known_of_its_zone(iso: str | None, zone_known: bool, shown: str) -> None:
    assert day_and_time(iso, zone_known=zone_known) == shown


@pytest.mark.parametrize("mark", ["\x1b", "\x00", "\x07", "\x9b", "\x7f", "\r", "\u202e", "\u2066", "\u200f"])
def test_nothing_that_steers_a_terminal_passes(mark: str) -> None:
    assert safe(f"a{mark}b") == "a�b"


def test_line_ends_tabs_and_every_script_pass() -> None:
    text = "a\tb\nGrüße 京都 🎉 שלום"
    assert safe(text) == text
    assert safe("a\r\nb") == "a\nb"


def test_a_line_is_one_line_of_bounded_length() -> None:
    assert line("a\n  b\tc", 10) == "a b c"
    assert line("x" * 50, 10) == "x" * 9 + "…"
