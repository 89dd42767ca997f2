"""Causes and dependencies that a sentence names: "X because of Y", "X led to Y", "X depends on Y", in three languages.

Always true here: both sides are runs of the sentence, and a question or a guess names no cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

SIDE_MIN, SIDE_MAX = 3, 160  # characters of a cause or an effect


@dataclass(frozen=True, slots=True)
class Cause:
    """`relation` is caused_by, led_to or depends_on; both spans count in the text."""

    subject: tuple[int, int]
    relation: str
    value: tuple[int, int]


def causes(text: str, low: int, high: int) -> Iterator[Cause]:
    """The cause that a sentence of a text names, if it names one."""
    sentence = text[low:high]
    if not _hint().search(sentence):
        return
    for relation, shape in _shapes():
        found = shape.match(sentence)
        if found:
            subject, value = _side(found, "subject", low), _side(found, "value", low)
            if min(subject[1] - subject[0], value[1] - value[0]) >= SIDE_MIN:
                yield Cause(subject, relation, value)
            return


def hinted(text: str) -> bool:
    """Whether a text has a word that a cause is named with."""
    low = text.lower()
    return any(word in low for word in _WORDS) and _hint().search(text) is not None


# One of these is in every hint, and a plain search for each is the quickest way to see that none is.
_WORDS = tuple(
    "because due owing cause led leads result depend therefore thanks relies weil wegen aufgrund verursach führ hängt "
    "deshalb daher 因为 由于 导致 引起 取决 依赖".split()
)


def _side(found: re.Match[str], group: str, low: int) -> tuple[int, int]:
    start, end = found.span(group)
    said = found[group]
    return low + start + len(said) - len(said.lstrip(" ,;")), low + end - (len(said) - len(said.rstrip(" ,;.!。！，")))


@cache
def _hint() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:because|due to|owing to|caused|causes|led to|leads to|result(?:s|ed) (?:in|from)|depends? on|therefore"
        r"|thanks to|relies on"
        r"|weil|wegen|aufgrund|verursacht|führte? zu|führt zu|hängt|deshalb|daher)\b|因为|由于|导致|引起|取决于|依赖",
        re.IGNORECASE,
    )


@cache
def _shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    side = rf"[^;:?？]{{{SIDE_MIN},{SIDE_MAX}}}"
    subject, value = rf"(?P<subject>{side}?)", rf"(?P<value>{side})$"

    def shape(joint: str) -> re.Pattern[str]:
        return re.compile(rf"{subject},? ?(?:{joint}) ?{value}", re.IGNORECASE)

    return (
        (
            "depends_on",
            shape(r"\b(?:depends?|relies|rely) (?:directly |only |mostly )?on\b|\bhängt (?:direkt )?von\b|取决于|依赖于?"),
        ),
        (
            "caused_by",
            shape(
                r"\b(?:is|are|was|were|has been) (?:mostly |mainly )?caused by\b|\bresult(?:s|ed) from\b|\bwurde "
                r"(?:durch|von)\b(?=.*verursacht)"
            ),
        ),
        (
            "led_to",
            shape(
                r"\b(?:led to|leads to|result(?:s|ed) in|caused|causes|therefore|führte zu|führt zu|deshalb|daher)\b"
                r"|导致了?|引起了?"
            ),
        ),
        ("caused_by", shape(r"\b(?:because of|because|due to|owing to|thanks to|weil|wegen|aufgrund)\b")),
        (
            "led_to",
            re.compile(r"(?:因为|由于)(?P<subject>[^，。；？]{2,80})，?(?:所以)?(?P<value>[^，。；？]{2,80})[。！]?$"),
        ),
    )
