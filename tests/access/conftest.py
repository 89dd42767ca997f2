"""Fixtures of this room's tests."""

from tests.makers import fresh, meaning, memory, small  # noqa: F401
