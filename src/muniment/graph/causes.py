"""Which claims and links say that one thing comes of another, and which of the two is the cause.

Only words for causes count: what is merely said together is no cause.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from muniment.text.scripts import fold

# With these the subject comes of the value.
BECAUSE = (
    "caused by", "because of", "because", "due to", "depends on", "depend on", "derived from", "results from", "resulted from",
    "triggered by", "blocked by", "requires", "reason", "cause", "root cause", "comes from", "came from", "stems from",
    "fixed by",
    "verursacht durch", "wegen", "weil", "aufgrund", "hängt ab von", "hangt ab von", "grund", "ursache", "ausgelöst durch",
    "blockiert durch", "因为", "由于", "原因", "依赖", "取决于", "源于",
)  # fmt: skip
# With these the value comes of the subject.
THEREFORE = (
    "causes", "caused", "leads to", "led to", "results in", "resulted in", "triggers", "triggered", "blocks", "breaks", "broke",
    "verursacht", "verursachte", "führt zu", "führte zu", "löst aus", "blockiert", "导致", "引起", "造成",
)  # fmt: skip
# By relation, whether the later record of a link comes of the earlier one. All others say nothing of causes.
RELATIONS = frozenset({"depends_on", "derived_from", "supersedes", "evolved_into"})

_SIDES: Mapping[str, bool] = MappingProxyType(
    {fold(words): True for words in BECAUSE} | {fold(words): False for words in THEREFORE}
)


def side(attribute: str) -> bool | None:
    """True: the value is the cause. False: it is the consequence. None: the attribute says nothing of causes."""
    return _SIDES.get(" ".join(fold(word) for word in attribute.replace("_", " ").split()))
