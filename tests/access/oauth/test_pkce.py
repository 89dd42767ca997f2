"""PKCE as RFC 7636 has it, with S256 alone."""

from __future__ import annotations

import pytest

from muniment.access.oauth import pkce

# The example of RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_the_example_of_the_rfc_proves_itself() -> None:
    assert pkce.sound(CHALLENGE)
    assert pkce.proves(VERIFIER, CHALLENGE)


@pytest.mark.parametrize("verifier", ["", VERIFIER[:42], VERIFIER + "x", "x" * 129, VERIFIER[:-1] + "+", CHALLENGE, "é" * 43])
def test_no_other_verifier_does(verifier: str) -> None:
    assert not pkce.proves(verifier, CHALLENGE)


def test_a_plain_challenge_proves_nothing() -> None:
    assert not pkce.proves(VERIFIER, VERIFIER)


@pytest.mark.parametrize("challenge", ["", "a" * 42, "a" * 129, CHALLENGE[:-1] + "=", CHALLENGE[:-1] + "+", CHALLENGE + "\n"])
def test_a_challenge_of_another_shape_is_none(challenge: str) -> None:
    assert not pkce.sound(challenge)
