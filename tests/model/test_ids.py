"""Ids: sorted by time, unique, and read back from their public form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.model.ids import ALPHABET, UID_LENGTH, encode, parse, place, ref, uid, uid_run

MOMENTS = st.integers(0, 2**48 - 1)
ENTROPY = st.binary(min_size=10, max_size=10)


def bits(text: str) -> int:
    number = 0
    for char in text:
        number = number << 5 | ALPHABET.index(char)
    return number


@given(MOMENTS, ENTROPY)
def test_a_uid_is_a_uuid_of_version_7(now: int, entropy: bytes) -> None:
    number = bits(uid(now, entropy))
    assert number >> 80 == now
    assert number >> 76 & 0xF == 7
    assert number >> 62 & 3 == 2


@given(MOMENTS, ENTROPY, st.integers(1, 300))
def test_a_run_is_sorted_and_has_no_repeats(now: int, entropy: bytes, count: int) -> None:
    run = uid_run(now, entropy, count)
    assert run == sorted(set(run))
    assert len(run) == count
    assert {len(one) for one in run} == {UID_LENGTH}
    assert {bits(one) >> 80 for one in run} == {now}


@given(MOMENTS, ENTROPY)
def test_even_the_longest_run_stays_in_its_digits(now: int, entropy: bytes) -> None:
    first = bits(uid(now, entropy[:5] + b"\xff" * 5))
    last = bits(uid_run(now, entropy[:5] + b"\xff" * 5, 1000)[-1])
    assert last - first == 999


@given(st.integers(0, 2**48 - 2), ENTROPY, ENTROPY)
def test_a_later_moment_sorts_later(now: int, one: bytes, other: bytes) -> None:
    assert uid(now, one) < uid(now + 1, other)


@given(MOMENTS, ENTROPY, ENTROPY)
def test_other_bytes_give_another_id(now: int, one: bytes, other: bytes) -> None:
    # Six of the eighty bits make room for the version and for counting up.
    assert (uid(now, one) == uid(now, other)) <= (one[1:] == other[1:] or one != other)
    assert uid(now, one) == uid(now, one)


def test_no_uid_is_asked_for_and_none_is_given() -> None:
    assert uid_run(0, bytes(10), 0) == []


@pytest.mark.parametrize(
    ("kind", "letter"), [("turn", "t"), ("document", "d"), ("fact", "m"), ("decision", "m"), ("brief", "m"), ("note", "m")]
)
def test_a_ref_reads_back(kind: str, letter: str) -> None:
    made = uid(1_760_000_000_000, b"0123456789")
    assert ref(kind, made) == f"{letter}_{made}"
    assert parse(ref(kind, made)) == (letter, made)
    assert parse(f"  {ref(kind, made).upper()} ") == (letter, made)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "t_",
        "t-" + "0" * 26,
        "t_" + "0" * 25,
        "t_" + "0" * 27,
        "t_" + "u" * 26,
        "tt_" + "0" * 26,
        "0" * 26,
        "t_" + "0" * 25 + "é",
    ],
)
def test_what_is_no_ref_is_none(text: str) -> None:
    assert parse(text) is None


def test_digits_that_look_alike_are_left_out() -> None:
    assert not set("ilou") & set(ALPHABET)
    assert encode(31, 2) == "0z"


@given(MOMENTS, ENTROPY, st.integers(1, 300))
def test_uids_of_one_run_stand_one_after_another(now: int, entropy: bytes, count: int) -> None:
    places = [place(one) for one in uid_run(now, entropy, count)]
    head, first = places[0]
    assert places == [(head, first + step) for step in range(count)]
