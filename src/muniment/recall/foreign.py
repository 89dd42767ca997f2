"""Whether what is asked was ever said of whom it is asked of: memory may know the thing, and the fact, but not this fact of it.

Only a store that tells facts of many things by the same words can show this; where that is not plain, nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from muniment.index import lexical
from muniment.index.corpus import Flags, Floats
from muniment.recall import tuning
from muniment.recall.look import Look
from muniment.recall.views import about
from muniment.text import questions, terms

REACH = 2
PAIR = 2  # among two people everybody speaks of himself, mostly without a name


def unsaid(look: Look, words: Sequence[lexical.Word]) -> bool:
    """Whether the asked fact is told of others, or of nobody, and never of the names in the question.

    `words` are weighed by a rarity that means something in a small store too.
    """
    names = {name: found for name, found in about.named(look).items() if name not in look.question.identifiers}
    if _attribute_unheard(look, words):
        return True
    if not names or not words:
        return False
    own = {term for found in names.values() for term in found}
    asked = [word for word in words if word.term not in own]
    if not asked:
        return False
    if not any(len(word.ranks) for word in asked):
        return True
    if look.question.speakers and sum(map(bool, look.corpus.names)) <= PAIR:
        return False
    held = _held(look, asked)
    total = sum(word.idf for word in words)
    unheard = sum(word.idf for word in words if not len(word.ranks)) >= tuning.UNHEARD_SHARE * total
    whole = (held > tuning.SAID_WHOLE) & (look.corpus.people > 0)
    # Whose passages they are is dear to find out, and matters only then.
    if not unheard and int(np.count_nonzero(whole)) < tuning.SAID_OF_OTHERS:
        return False
    heard, spoken_of = held > tuning.SAID_LEAST, _spoken_of(look)
    return not bool((heard & spoken_of).any()) and not bool((heard & _theirs(look, spoken_of)).any())


def _attribute_unheard(look: Look, words: Sequence[lexical.Word]) -> bool:
    """Whether the question names a property ("the uptime of", "Ada's birthday") that nobody ever spoke of."""
    unheard = {word.term for word in words if not len(word.ranks)}
    asked = terms.terms(questions.property_asked(look.question.text))
    informative = [term for term in asked if not terms.is_stop(term)]
    return bool(informative) and unheard.issuperset(informative)


def _held(look: Look, asked: Sequence[lexical.Word]) -> Floats:
    """By rank: the share of the asked words, by rarity, that a passage holds itself."""
    total = sum(word.idf for word in asked)
    out = np.zeros(len(look.corpus), np.float32)
    for word in asked:
        out[word.ranks] += np.float32(word.idf / total)
    return out


def _theirs(look: Look, spoken_of: Flags) -> Flags:
    """Passages that speak of the names, that their bearers said of themselves, and what follows without another name."""
    corpus, question = look.corpus, look.question
    spoken_of = spoken_of.copy()
    if question.speakers:
        numbers = [corpus.names.index(name) for name in question.speakers]
        own = np.isin(corpus.speaker, numbers) & (_first_person(look) | (corpus.people == 0))
        rest = set(question.names).difference(question.speakers)
        spoken_of |= own if not rest else own & (about.scores(look) > 0)
    near = spoken_of.copy()
    for step in range(1, REACH + 1):
        beside = corpus.near[step] > 0
        near[step:] |= spoken_of[:-step] & beside[:-step] & (corpus.people[step:] == 0)
        near[:-step] |= spoken_of[step:] & beside[:-step] & (corpus.people[:-step] == 0)
    return near


def _spoken_of(look: Look) -> Flags:
    flags: Flags = about.scores(look) >= tuning.ALL_NAMES
    return flags


def _first_person(look: Look) -> Flags:
    flags = np.zeros(len(look.corpus), bool)
    wanted = sorted({term for word in questions.FIRST_PERSON for term in terms.terms(word)})
    for ranks in lexical.holding(look.connection, look.corpus, wanted).values():
        flags[ranks] = True
    return flags
