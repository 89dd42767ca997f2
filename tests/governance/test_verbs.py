"""Every verb that a caller may name has its function: they are found by name, so nothing else would see that one is missing."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import get_args

import pytest

from muniment.governance import govern, review
from muniment.model.governing import Done
from muniment.model.reviewing import Asked

TABLES = [
    pytest.param(govern.VERBS, get_args(Done), ["context", "request", "do"], id="govern"),
    pytest.param(review.VERBS, get_args(Asked), ["context", "connection", "place", "do"], id="review"),
]


@pytest.mark.parametrize(("verbs", "wanted", "takes"), TABLES)
def test_every_verb_has_a_function_of_the_one_shape(verbs: dict[type, str], wanted: tuple[type, ...], takes: list[str]) -> None:
    assert set(verbs) == set(wanted)
    for where in verbs.values():
        module, _, name = where.partition(":")
        function = getattr(import_module(f"muniment.governance.{module}"), name)
        assert list(inspect.signature(function).parameters) == takes, where
