"""Slots: the form in which wordings of one property meet, whoever words it.

Always true here: a wording that no rule knows is a slot of its own, by the stems of its words in order.
"""

from __future__ import annotations

from functools import cache

from muniment.text.scripts import fold
from muniment.text.statements import chinese_claims as han
from muniment.text.statements import claim_rules as rules
from muniment.text.stems import stem
from muniment.text.terms import is_stop

IS = "is"  # the slot of what is said of a thing itself: "the port is 8081"


def slot(said: str) -> str:
    """The form in which wordings meet: "lives in", "wohnt in" and "moved to" are one slot, and "the port" is "port"."""
    words = [fold(word) for word in said.replace("_", " ").split()]
    known = _slots().get(" ".join(words))
    if known is not None:
        return known
    stems = {stem(word) for word in words if not is_stop(stem(word))}
    return " ".join(sorted(stems)) or " ".join(words)


@cache
def _slots() -> dict[str, str]:
    known = {said: attribute for attribute, several in rules.WORDINGS.items() for said in several}
    known |= {
        fold(rule.said): rule.attribute
        for rule in (*rules.first_person().rules, *rules.others().rules)
        if rule.said not in ("", IS)
    }
    return known | han.slots()
