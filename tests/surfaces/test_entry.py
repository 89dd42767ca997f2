"""Which command was typed."""

from __future__ import annotations

import pytest

from muniment.surfaces.entry import split


@pytest.mark.parametrize(
    ("typed", "command", "rest"),
    [
        ("", "", ""),
        ("stdio", "stdio", ""),
        ("stdio --store x", "stdio", "--store x"),
        ("--store x stdio", "stdio", "--store x"),
        ("--store=x stdio --read-only", "stdio", "--store=x --read-only"),
        ("--read-only stdio", "stdio", "--read-only"),
        ("--store stdio recall x", "recall", "--store stdio x"),
        ("recall stdio", "recall", "stdio"),
        ("--help", "", "--help"),
        ("--help stdio", "stdio", "--help"),
        ("--store", "", "--store"),
        ("-h", "-h", ""),
    ],
)
def test_options_may_stand_before_the_command(typed: str, command: str, rest: str) -> None:
    assert split(typed.split()) == (command, rest.split())
