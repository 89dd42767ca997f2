"""Claims in Chinese: a few shapes of clauses whose verb leaves no doubt.

Always true here: a value is a run of characters between the verb and the next mark, as it stands in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from muniment.model.asserted import Asserted
from muniment.text.scripts import HAN
from muniment.text.statements import chinese
from muniment.text.statements.sentences import QUESTION_MARKS

VALUE_MAX = 14
_AROUND = " \t\"'“”‘’「」-*•>#…"  # what may stand around a clause
_NOUNS = "|".join(sorted((*chinese.SINGLE, *chinese.FIGURED), key=len, reverse=True))
_V = rf"(?P<value>(?!的)[{HAN}A-Za-z0-9][{HAN}\w.·-]{{0,{VALUE_MAX - 1}}}?)"
_S = rf"(?P<subject>[{HAN}]{{2,6}}?|[A-Za-z][\w.-]*)"
_END = r"[了呢啊呀哦的]?"
_DENIED = re.compile("[吗么不没别几]")  # a clause that holds one of these is asked or is not so
# These stand for somebody or something else and name nothing.
_POINTING = re.compile("[他她它你您我这那其此]|大家|自己|有人|今天|昨天|明天|现在|因为|所以|但是|不过|而且|如何|一个")


@dataclass(frozen=True, slots=True)
class _Shape:
    shape: re.Pattern[str]
    attribute: str
    said: str
    many: bool = False
    names: bool = False
    causal: bool = False
    listed: bool = False
    polarity: Literal[1, -1] = 1


def find(text: str) -> Iterator[Asserted]:
    """What a text asserts, clause by clause."""
    for low, high in chinese.clauses(text):
        said = text[low:high].strip(_AROUND)
        if not said or text[high : high + 1] in QUESTION_MARKS:
            continue
        start = text.index(said, low)
        end = start + len(said)
        for one in _shapes():
            shape = one.shape.fullmatch(said)
            if shape is None or (one.polarity > 0 and (_DENIED.search(said) or chinese.unsure().search(said))):
                continue
            subject, noun = (shape.groupdict().get(name) or "" for name in ("subject", "noun"))
            if subject and _POINTING.search(subject):
                continue
            for value in _values(shape["value"], one.listed):
                if not _POINTING.match(value):
                    yield Asserted(
                        start, end, subject, noun or one.attribute, noun or one.said,
                        value, names=value if one.names else "", many=one.many, causal=one.causal, polarity=one.polarity,
                    )  # fmt: skip
            break


def slots() -> dict[str, str]:
    """By wording: the slot it belongs to."""
    return {one.said: one.attribute for one in _shapes()}


def _values(value: str, listed: bool) -> list[str]:
    return [part for part in re.split("[、和与]", value) if part] if listed else [value]


@cache
def _shapes() -> tuple[_Shape, ...]:
    listed = rf"(?P<value>[{HAN}\w、·-]{{1,30}}?)"

    def shape(pattern: str, attribute: str, said: str, **more: bool | int) -> _Shape:
        return _Shape(re.compile(pattern + _END), attribute, said, **more)  # type: ignore[arg-type]

    return (
        shape(rf"(?:大家好)?我(?:的名字)?叫(?:做)?{_V}", "name", "叫"),
        shape(rf"我{chinese.ADVERBS}住在{_V}", "live", "住在", names=True),
        shape(rf"我{chinese.ADVERBS}{chinese.MOVES}{_V}", "live", "搬到", names=True),
        shape(rf"我来自{_V}", "origin", "来自", names=True),
        shape(rf"我{chinese.ADVERBS}在{_V}{chinese.WORKS}", "work", "工作于", names=True),
        shape(rf"我是(?:一)?(?:名|位){_V}", "job", "职业"),
        shape(rf"我{chinese.ADVERBS}(?:喜欢|爱好|热爱){listed}", "like", "喜欢", many=True, listed=True),
        shape(rf"我{chinese.ADVERBS}(?:不喜欢|讨厌){listed}", "like", "喜欢", many=True, listed=True, polarity=-1),
        shape(rf"{_S}{chinese.ADVERBS}住在{_V}", "live", "住在", names=True),
        shape(rf"{_S}{chinese.ADVERBS}{chinese.MOVES}{_V}", "live", "搬到", names=True),
        shape(rf"{_S}来自{_V}", "origin", "来自", names=True),
        shape(rf"{_S}{chinese.ADVERBS}在{_V}{chinese.WORKS}", "work", "工作于", names=True),
        shape(rf"{_S}的(?P<noun>{_NOUNS}){chinese.ADVERBS}(?:是|为|{chinese.BECOMES}){_V}", "is", "是"),
        shape(rf"{_S}(?:依赖于|依赖|取决于){_V}", "depend", "依赖", many=True, names=True, causal=True),
        shape(rf"{_S}(?:是)?由{_V}(?:引起|造成|导致)", "cause", "由于", many=True, names=True, causal=True),
        shape(rf"{_S}(?:导致|引起|造成)(?:了)?{_V}", "effect", "导致", many=True, names=True, causal=True),
        shape(rf"{_S}运行在{_V}(?:上)?", "run on", "运行在", names=True),
    )  # fmt: skip
