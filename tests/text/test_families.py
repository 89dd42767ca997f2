"""Relatives of a word: few, and in both directions."""

from __future__ import annotations

import pytest

from muniment.text import families, terms


@pytest.mark.parametrize(
    ("asked", "told"),
    [("owner", "owns"), ("who is responsible", "maintainer"), ("deadline", "due"), ("job", "employed"), ("wife", "married")],
)
def test_a_word_is_found_by_its_relatives(asked: str, told: str) -> None:
    (stem,) = (term for term in terms.asked(asked))
    (other,) = (term for term in terms.asked(told))
    assert other in families.of(stem)
    assert stem in families.of(other)


def test_a_word_without_relatives_stands_alone_and_comes_first_otherwise() -> None:
    assert families.of("canteen") == ("canteen",)
    assert families.of("owner")[0] == "owner"


def test_every_relative_is_a_stem_and_belongs_to_one_family() -> None:
    seen: set[str] = set()
    for stem in families.every():
        assert stem not in seen, stem
        seen.add(stem)
        assert " " not in stem
