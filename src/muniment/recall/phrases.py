"""Words taken literally: what a question quotes, and the identifiers it names, as they stand in the candidates' texts.

Texts are read only when a question has any of these, and only those of the pool.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from muniment.index.corpus import Floats, Ints
from muniment.recall.look import Look
from muniment.text.scripts import paired

PHRASE_LEAST = 2  # characters
# An identifier is an index term too, so that holding it is less of a surprise than holding a whole quotation.
IDENTIFIER_WORTH = 0.5


def held(look: Look, pool: Ints) -> Floats | None:
    """How much of what is to be taken literally each rank of the pool holds, 0 to 1; None when a question has none of it."""
    phrases = {_plain(phrase) for phrase in look.question.phrases}
    quoted = _patterns(phrases)
    named = _patterns({_plain(word) for word in look.question.identifiers} - phrases)
    if not (quoted or named):
        return None
    texts = _texts(look, pool)
    out = np.zeros(len(pool), np.float32)
    for place, rank in enumerate(pool.tolist()):
        text = texts.get((int(look.corpus.place[rank]), int(look.corpus.ordinal[rank])), "")
        out[place] = min(1.0, _share(quoted, text) + IDENTIFIER_WORTH * _share(named, text))
    return out


def _share(patterns: Sequence[re.Pattern[str]], text: str) -> float:
    return sum(pattern.search(text) is not None for pattern in patterns) / len(patterns) if patterns else 0.0


def _patterns(phrases: Iterable[str]) -> list[re.Pattern[str]]:
    """A phrase stands for itself, but not for a piece of a longer word."""
    return [
        re.compile(f"{_border(one[0], '(?<!')}{re.escape(one)}{_border(one[-1], '(?!')}")
        for one in phrases
        if len(one) >= PHRASE_LEAST
    ]


def _border(char: str, look_that_no: str) -> str:
    return rf"{look_that_no}\w)" if char.isalnum() and not paired().match(char) else ""


def _plain(text: str) -> str:
    """Text as it is compared: width, case, white space and the sort of apostrophe make no difference."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").split())


def _texts(look: Look, pool: Ints) -> dict[tuple[int, int], str]:
    """The passages of the pool with their record's subject, by place and ordinal."""
    out: dict[tuple[int, int], str] = {}
    for index, workspace in enumerate(look.corpus.workspaces):
        ordinals = look.corpus.ordinal[pool[look.corpus.place[pool] == index]].tolist()
        if ordinals:
            values = {"workspace": workspace, "ordinals": json.dumps(ordinals)}
            for ordinal, subject, text in look.connection.all("passage_texts", values):
                out[index, ordinal] = _plain(f"{subject}\n{text}" if subject else text)
    return out
