"""Every error has a code of the catalogue, says what to do next, and stands in the tree that the module draws."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from muniment import errors

CODES = set(
    """
    unauthorized insufficient_scope forbidden_scope unknown_project not_found invalid_input invalid_cursor protected_target
    confirmation_required duplicate_request request_mismatch stale_version stale_conflict stale_replica limit_exceeded
    over_budget unavailable
    """.split()
)


def tree(
    root: type[errors.MunimentError] = errors.MunimentError, depth: int = 0
) -> Iterator[tuple[int, type[errors.MunimentError]]]:
    yield depth, root
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from tree(child, depth + 1)


@pytest.mark.parametrize("sort", [sort for _, sort in tree()], ids=lambda sort: sort.__name__)
def test_every_error_says_what_happened_and_what_to_do_next(sort: type[errors.MunimentError]) -> None:
    more = ("ok_1",) if sort is errors.ConfirmationRequired else ()
    fault = sort("It rained.", *more)
    assert fault.code in CODES
    assert fault.do_next == sort.do_next_default
    assert fault.do_next.endswith(".")
    assert str(fault) == f"It rained. {fault.do_next}"
    if not more:
        assert sort("It rained.", "Take an umbrella.").do_next == "Take an umbrella."


def test_what_has_to_be_confirmed_carries_its_impact_and_the_value_that_confirms_it() -> None:
    fault = errors.ConfirmationRequired("Two memories would go.", "ok_1")
    assert (fault.impact, fault.confirm, fault.message) == ("Two memories would go.", "ok_1", "Two memories would go.")


def test_the_module_draws_the_tree_as_it_is() -> None:
    drawn = [(len(line) - len(line.lstrip(" │├└─")) - 8) // 4 for line in (errors.__doc__ or "").splitlines() if "──" in line]
    names = re.findall(r"── (\w+)", errors.__doc__ or "")
    real = [(depth - 1, sort.__name__) for depth, sort in tree() if depth]
    assert list(zip(drawn, names, strict=True)) == [(depth, name) for depth, name in real]
