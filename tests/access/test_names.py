"""Which names are one name, and which are so alike that somebody may have meant the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.access import folders, names


@pytest.mark.parametrize("name", ["acme-web", "Acme Web", "ACME_WEB", "acmeweb", "ａｃｍｅ－ｗｅｂ", " acme - web "])
def test_mechanical_variants_meet(name: str) -> None:
    assert names.key(name) == names.key("acme-web")


@pytest.mark.parametrize(
    ("one", "other"),
    [("कल", "काला"), ("काला", "कला"), ("กำ", "กา"), ("שָׁלוֹם", "שלום"), ("cafe", "café"), ("x̂", "x"), ("istanbul", "İstanbul")],
)
def test_a_mark_makes_another_name(one: str, other: str) -> None:
    assert names.key(one) != names.key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Cafe\u0301", "CAFÉ"), ("हिन्दी_नाम", "हिन्दी नाम"), ("กำ", "ก\u0e4d\u0e32"), ("क्\u200dष", "क्ष")]
)
def test_spellings_of_a_marked_name_meet(one: str, other: str) -> None:
    assert names.key(one) == names.key(other)


@given(st.text(max_size=30))
def test_a_slug_is_its_own_slug_and_one_name_with_what_it_was_made_of(name: str) -> None:
    slug = folders.slug(name)
    assert folders.slug(slug) == slug


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("harbuor", ["harbour", "yard"], ["harbour"]),
        ("harbours", ["harbour"], ["harbour"]),
        ("harbour", ["harbour"], []),  # the name itself is no candidate for itself
        ("Har-Bour", ["harbour"], []),  # nor is a variant: it is that name
        ("acme", ["acme-web"], []),  # a longer name is another thing
        ("conversation-1", ["conversation-2"], []),
        ("conversation-1", ["conversation-12"], []),
        ("global", ["globel"], []),
        ("inbox", ["inboxx"], []),
        ("defaults", ["default"], []),
        ("ab", ["abc"], []),
        ("quay", ["yard"], []),
        ("\u0430lpha", ["alpha"], ["alpha"]),  # a Cyrillic letter
        ("alph\u03b1", ["alpha"], ["alpha"]),  # a Greek one
        ("\u0430b", ["ab"], ["ab"]),
        ("\u0430\u0441\u0435", ["ace"], ["ace"]),  # in no letter the same
        ("d\u0435fault", ["default"], []),
        ("\u0430lpha-1", ["alpha-2"], []),
    ],
)
def test_slips_are_candidates_and_what_only_looks_alike_is_none(name: str, known: list[str], found: list[str]) -> None:
    assert names.alike(name, known) == found


def test_the_likeliest_comes_first() -> None:
    assert names.alike("harbour-crane", ["harbuor-crene", "harbour-crene", "yard"]) == ["harbour-crene", "harbuor-crene"]


@given(st.text(max_size=20), st.text(max_size=20))
def test_who_is_asked_about_makes_no_difference(one: str, other: str) -> None:
    assert names.apart(one, other) == names.apart(other, one)
    assert 0.0 <= names.apart(one, other) <= 1.0
