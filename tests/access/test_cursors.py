"""Cursors: signed, and bound to who asked and what for."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.access import cursors
from muniment.errors import InvalidCursor
from tests.makers import Memory

BOUND = ["inbox", None]


def seal(memory: Memory, place: list[int], bound: object = BOUND) -> str:
    with memory.app.store.read() as connection:
        return cursors.seal(memory.context, connection, place, bound)


def unseal(memory: Memory, cursor: str, bound: object = BOUND, **grant: object) -> list[int]:
    context = memory.context
    context = replace(context, grant=replace(context.grant, **grant)) if grant else context  # type: ignore[arg-type]
    with memory.app.store.read() as connection:
        return cursors.unseal(context, connection, cursor, bound)


@pytest.mark.parametrize("place", [[0], [1, 2, 3], [-1, 10**15, 0], []])
def test_a_cursor_reads_back(memory: Memory, place: list[int]) -> None:
    cursor = seal(memory, place)
    assert unseal(memory, cursor) == place
    assert "=" not in cursor
    assert unseal(memory.elsewhere(), cursor) == place  # the key lies in the store


@pytest.mark.parametrize("bound", [["other", None], ["inbox", {"kind": ["fact"]}], [], None, "inbox"])
def test_it_is_good_for_one_request(memory: Memory, bound: object) -> None:
    with pytest.raises(InvalidCursor):
        unseal(memory, seal(memory, [5]), bound)


@pytest.mark.parametrize("grant", [{"principal": 99}, {"token": 4}])
def test_it_is_good_for_one_caller(memory: Memory, grant: dict[str, object]) -> None:
    with pytest.raises(InvalidCursor):
        unseal(memory, seal(memory, [5]), **grant)


def test_another_store_does_not_know_it(fresh: Callable[[], Memory]) -> None:
    with pytest.raises(InvalidCursor):
        unseal(fresh(), seal(fresh(), [5]))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.text(max_size=60), st.binary(max_size=60).map(lambda raw: base64.urlsafe_b64encode(raw).decode())))
def test_whatever_comes_is_refused_and_never_a_crash(small: Memory, cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        unseal(small, cursor)


@given(place=st.integers(0, 30), bit=st.integers(0, 7))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_bit_is_enough_to_spoil_it(small: Memory, place: int, bit: int) -> None:
    cursor = seal(small, [123456])
    raw = bytearray(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    raw[place % len(raw)] ^= 1 << bit
    with pytest.raises(InvalidCursor):
        unseal(small, base64.urlsafe_b64encode(bytes(raw)).decode())
