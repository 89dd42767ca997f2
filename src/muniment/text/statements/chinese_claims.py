"""Assertions in Chinese: a few shapes of clauses whose verb leaves no doubt.

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
from muniment.text.statements.clauses import QUESTION_MARKS

VALUE_MAX = 14
_NOUNS = "端口|密码|地址|版本|数据库|负责人|经理|名字|生日|电话|颜色"
_V = rf"(?P<value>[{HAN}A-Za-z0-9][{HAN}\w.·-]{{0,{VALUE_MAX - 1}}}?)"
_S = rf"(?P<subject>[{HAN}]{{2,6}}?|[A-Za-z][\w.-]*)"
_END = r"(?=[了吧呢啊呀哦的]?\s*$)"
# A clause that holds one of these says what may be, should be, is asked or is not so.
_UNSURE = re.compile("[吗么不没别]|如果|要是|可能|也许|大概|应该|希望|想要|打算|准备|觉得|好像|假如|什么|怎么|哪|谁|几")
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


def find(text: str, low: int, high: int) -> Iterator[Asserted]:
    """What a sentence asserts, clause by clause."""
    for clause in _clauses().finditer(text, low, high):
        said = clause.group()
        if text[clause.end() : clause.end() + 1] in QUESTION_MARKS:
            continue
        for one in _shapes():
            shape = one.shape.fullmatch(said)
            if shape is None or (one.polarity > 0 and _UNSURE.search(said)):
                continue
            subject, noun = (shape.groupdict().get(name) or "" for name in ("subject", "noun"))
            if subject and _POINTING.search(subject):
                continue
            for value in _values(shape["value"], one.listed):
                if not _POINTING.match(value):
                    yield Asserted(
                        clause.start(), clause.end(), subject, noun or one.attribute, noun or one.said,
                        value, names=value if one.names else "", many=one.many, causal=one.causal, polarity=one.polarity,
                    )  # fmt: skip
            break


def slots() -> dict[str, str]:
    """By wording: the slot it belongs to."""
    return {one.said: one.attribute for one in _shapes()}


def _values(value: str, listed: bool) -> list[str]:
    return [part for part in re.split("[、和与]", value) if part] if listed else [value]


@cache
def _clauses() -> re.Pattern[str]:
    return re.compile(r"[^\s，。！？；：,!?;…“”\"]+")


@cache
def _shapes() -> tuple[_Shape, ...]:
    adverbs = "(?:现在|目前|一直|也|还|都|最|很|特别|非常|平时|主要|都是)?"
    listed = rf"(?P<value>[{HAN}\w、·-]{{1,30}}?)"

    def shape(pattern: str, attribute: str, said: str, **more: bool | int) -> _Shape:
        return _Shape(re.compile(pattern + _END), attribute, said, **more)  # type: ignore[arg-type]

    return (
        shape(rf"(?:大家好)?我(?:的名字)?叫(?:做)?{_V}", "name", "叫"),
        shape(rf"我{adverbs}住在{_V}", "live", "住在", names=True),
        shape(rf"我来自{_V}", "origin", "来自", names=True),
        shape(rf"我{adverbs}在{_V}(?:工作|上班)", "work", "工作于", names=True),
        shape(rf"我是(?:一)?(?:名|位){_V}", "job", "职业"),
        shape(rf"我{adverbs}(?:喜欢|爱好|热爱){listed}", "like", "喜欢", many=True, listed=True),
        shape(rf"我{adverbs}(?:不喜欢|讨厌){listed}", "like", "喜欢", many=True, listed=True, polarity=-1),
        shape(rf"{_S}{adverbs}住在{_V}", "live", "住在", names=True),
        shape(rf"{_S}来自{_V}", "origin", "来自", names=True),
        shape(rf"{_S}{adverbs}在{_V}(?:工作|上班)", "work", "工作于", names=True),
        shape(rf"{_S}的(?P<noun>{_NOUNS}){adverbs}(?:是|为|改为|改成){_V}", "is", "是"),
        shape(rf"{_S}(?:依赖于|依赖|取决于){_V}", "depend", "依赖", many=True, names=True, causal=True),
        shape(rf"{_S}(?:是)?由{_V}(?:引起|造成|导致)", "cause", "由于", many=True, names=True, causal=True),
        shape(rf"{_S}(?:导致|引起|造成)(?:了)?{_V}", "effect", "导致", many=True, names=True, causal=True),
        shape(rf"{_S}运行在{_V}(?:上)?", "run on", "运行在", names=True),
    )  # fmt: skip
