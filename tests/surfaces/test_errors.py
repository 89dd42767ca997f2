"""The error table covers every error there is, and an unexpected fault says nothing of what was asked."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from muniment import errors as tree
from muniment.errors import ConfirmationRequired, InvalidInput, MunimentError
from muniment.surfaces import errors


def kinds(root: type[MunimentError]) -> Iterator[type[MunimentError]]:
    yield root
    for kind in root.__subclasses__():
        if kind.__module__ == tree.__name__:
            yield from kinds(kind)


def test_every_error_has_a_status_and_an_exit_code() -> None:
    codes = {kind.code for kind in kinds(MunimentError)}
    assert codes == set(errors.TABLE)
    assert all(400 <= errors.status(code) < 600 for code in codes)
    assert {errors.exit_code(code) for code in codes} == {1, 2}


def test_an_error_is_shown_with_what_to_do_next() -> None:
    assert errors.shown(InvalidInput("No.", "Yes.")) == {
        "error": {"code": "invalid_input", "message": "No.", "do_next": "Yes."}
    }


def test_work_that_succeeds_answers_itself() -> None:
    assert errors.outcome("x", lambda: {"a": 1}) == {"a": 1}


def test_an_unexpected_fault_is_logged_without_what_it_quotes(caplog: pytest.LogCaptureFixture) -> None:
    def work() -> None:
        try:
            raise KeyError("the user's secret")
        except KeyError as cause:
            raise RuntimeError("mun_secret") from cause

    with caplog.at_level(logging.DEBUG):
        found = errors.outcome("recall", work)
    assert isinstance(found, MunimentError)
    assert found.code == "unavailable"
    assert "secret" not in str(found)
    assert caplog.records[0].levelno == logging.ERROR
    assert "RuntimeError" in caplog.text
    assert "KeyError" in caplog.text
    assert "test_errors.py" in caplog.text
    assert "mun_secret" not in caplog.text.replace('raise RuntimeError("mun_secret")', "")


def test_an_error_that_asks_for_a_confirmation_brings_what_it_takes() -> None:
    shown = errors.shown(ConfirmationRequired("Three records would be archived.", "ok_1"))["error"]
    assert shown["code"] == "confirmation_required"
    assert (shown["impact"], shown["confirm"]) == ("Three records would be archived.", "ok_1")
    assert set(errors.shown(MunimentError("x"))["error"]) == {"code", "message", "do_next"}
