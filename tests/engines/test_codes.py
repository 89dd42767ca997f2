"""Bytes and bits of vectors: what they keep, and that the scan counts exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.engines import codes


def unit_rows(count: int, dimension: int, seed: int = 3) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_quantised_rows_come_back_at_length_one_and_nearly_the_same():
    rows = unit_rows(50, 512)
    stored = codes.quantise(rows)
    assert {len(row) for row in stored} == {512}
    back = codes.dequantise(b"".join(stored), 512)
    assert back.dtype == np.float32
    assert np.allclose(np.linalg.norm(back, axis=1), 1, atol=1e-5)
    assert (rows * back).sum(1).min() > 0.995


def test_extreme_and_zero_rows_are_kept_within_a_signed_byte():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [1.00001, 0.0]], np.float32)
    stored = codes.quantise(rows)
    assert codes.int8_rows(b"".join(stored), 2).tolist() == [[127, 0], [-127, 0], [0, 0], [127, 0]]
    assert codes.dequantise(stored[2], 2).tolist() == [[0.0, 0.0]]


def test_a_bit_says_whether_a_value_is_above_the_mean():
    rows = np.array([[127, 0, -127, 10] * 16], np.int8)
    mean = np.array([0.0, 0.0, 0.0, 0.1] * 16, np.float32)
    bits = np.unpackbits(codes.sign_codes(rows, mean)[0], bitorder="little")
    assert bits.tolist() == [1, 0, 0, 0] * 16


@pytest.mark.parametrize(("dimension", "size"), [(64, 8), (100, 16), (384, 48), (512, 64), (513, 72)])
def test_codes_fill_whole_words(dimension, size):
    rows = codes.int8_rows(b"".join(codes.quantise(unit_rows(3, dimension))), dimension)
    made = codes.sign_codes(rows, np.zeros(dimension, np.float32))
    assert made.shape == (3, size) == (3, codes.code_bytes(dimension))
    assert codes.planes(made).shape == (size // 8, 3)


@given(st.integers(1, 70), st.integers(1, 200), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_distances_are_the_bits_that_differ(count, dimension, seed):
    rows = codes.int8_rows(b"".join(codes.quantise(unit_rows(count, dimension, seed))), dimension)
    made = codes.sign_codes(rows, np.zeros(dimension, np.float32))
    expected = [int((np.unpackbits(row) != np.unpackbits(made[0])).sum()) for row in made]
    found = codes.hamming(made[0], codes.planes(made))
    assert found.dtype == np.uint16
    assert found.tolist() == expected


def test_the_scan_goes_on_after_its_first_block(monkeypatch):
    monkeypatch.setattr(codes, "ROWS_A_BLOCK", 16)
    made = np.random.default_rng(1).integers(0, 256, (53, 64), np.uint8)
    expected = [int(np.bitwise_count(row ^ made[5]).sum()) for row in made]
    assert codes.hamming(made[5], codes.planes(made)).tolist() == expected


@given(st.lists(st.integers(0, 12), max_size=60), st.integers(0, 70))
@settings(deadline=None)
def test_the_nearest_come_first_and_ties_in_order_of_place(distances, k):
    found = codes.top(np.array(distances, np.uint16), k)
    assert found.tolist() == sorted(range(len(distances)), key=lambda place: (distances[place], place))[:k]


def test_near_vectors_have_near_codes():
    rows = unit_rows(200, 512)
    rows[1] = rows[0] + 0.01 * rows[1]
    rows[1] /= np.linalg.norm(rows[1])
    bytes_ = codes.int8_rows(b"".join(codes.quantise(rows)), 512)
    made = codes.sign_codes(bytes_, rows.mean(0))
    assert codes.top(codes.hamming(made[0], codes.planes(made)), 2).tolist() == [0, 1]
