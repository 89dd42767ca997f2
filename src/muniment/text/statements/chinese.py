"""Statements in Chinese: no spaces and no inflection, so a clause is read as subject, joint and value.

Always true here: a slot is what is left of a clause without its value and its small words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from muniment.model.stated import READ_MAX, Cue, Stated
from muniment.text.calendar_words import WEEKDAYS_CJK
from muniment.text.relative import cjk_number
from muniment.text.scripts import HAN, wide
from muniment.text.value_words import CURRENCIES, STATES, UNITS
from muniment.text.values import Value, norm

HAN_SHARE = 0.2  # of the characters of a text that is read as Chinese
CLAUSE_MAX = 80
SLOT_MIN, SLOT_MAX = 2, 24  # characters of a slot
SHARED_MIN = 2  # characters in a row that two slots of one topic share
NOON = 12


def written(text: str) -> bool:
    """Whether a text is Chinese: it has Han characters enough, and no kana."""
    if text.isascii():
        return False
    text = text[:READ_MAX]
    return len(_han().findall(text)) >= HAN_SHARE * len(text.replace(" ", "")) and not _kana().search(text)


@cache
def _han() -> re.Pattern[str]:
    return re.compile(f"[{HAN}]")


@cache
def _kana() -> re.Pattern[str]:
    return re.compile("[\u3041-\u30fa]")


@cache
def unsure() -> re.Pattern[str]:
    """What says that something may be, should be or is asked."""
    return re.compile(
        r"好像|怎样|也许|可能|或许|如果|要是|假如|打算|考虑|计划|应该|想要|想换|希望|大概|要不要|建议|讨论|听说|据说|觉得|吧$|吗$|呢$|什么|哪|多少|几[个号点]|谁|会不会|将来|以后再|准备|试试|差点|万一|为什么|怎么"
    )


@cache
def _past() -> re.Pattern[str]:
    return re.compile(r"以前|之前|原来|原先|曾经|过去|当时|小时候|那时|[12]\d{3}年[^，]*[是用过]")


@cache
def _moving() -> re.Pattern[str]:
    return re.compile(r"今天|昨天|明天|下次|这次|上次|刚才|今晚|昨晚|那天|这个月|上个月|一次|第[一二三四五六七八九十\d]+[次天]")


@cache
def _many() -> re.Pattern[str]:
    return re.compile(r"也|还(?!是)|另外|又|喜欢(?!的)|最爱的|爱吃|爱喝|会说|去过|过敏|、|之一|和")


@cache
def _now() -> re.Pattern[str]:
    return re.compile(r"现在|目前|如今|已经|改|换|调整|搬|涨|降|推迟|提前|从今天起")


@cache
def _corrects() -> re.Pattern[str]:
    return re.compile(r"^(?:不对|不是|错了|更正|纠正|抱歉|不好意思|等等|说错了|记错了|其实|搞错了|刚才说错了)")


@cache
def _joints() -> re.Pattern[str]:
    return re.compile(r"[。！!；;\n]|，(?!而是|是)|,(?!\d)|：(?=\D)|但是?|所以|因为")


@cache
def values_shape() -> re.Pattern[str]:
    numeral = "[一二三四五六七八九十两百]{1,4}"
    figure = rf"\d[\d,]*(?:\.\d+)?[万千亿kK]?|{numeral}"
    units = "|".join(sorted((re.escape(unit) for unit in (*UNITS, *CURRENCIES)), key=len, reverse=True))
    states = "|".join(sorted((state for state in STATES if state[0] >= "\u2e80"), key=len, reverse=True))
    return re.compile(
        rf"(?P<weekday>(?:每?周|星期|礼拜)(?P<day>[一二三四五六日天]))"
        rf"|(?P<date>(?:(?P<year>(?:19|20)\d\d)年)?(?P<month>\d{{1,2}}|{numeral})月(?P<mday>\d{{1,2}}|{numeral})[日号號])"
        rf"|(?P<clock>(?P<half>上午|下午|晚上|早上|中午|凌晨)?(?P<hour>\d{{1,2}}|{numeral})(?:点|點)(?P<minute>半|\d{{1,2}}分?)?"
        rf"|(?P<half2>上午|下午|晚上|早上)?(?P<hm>\d{{1,2}}[:：]\d{{2}}))"
        r"|(?P<version>[vV]\d+(?:\.\d+)*|\d+(?:\.\d+){2,})"
        rf"|(?P<money>[¥￥$€](?P<cash>{figure}))"
        rf"|(?P<number>(?<![A-Za-z\d_.-])(?P<figure>{figure})(?P<unit>{units}|[个杯条次位名台间张本瓶只])?)(?![A-Za-z_])"
        rf"|(?P<state>{states})"
        r"|(?P<name>[A-Za-z][A-Za-z0-9_.+#/-]*(?: [A-Z0-9][A-Za-z0-9_.+#-]*)*)"
    )


def values(body: str) -> list[Value]:
    """The values of a clause; a day and a time of day make one."""
    out: list[Value] = []
    for shape in values_shape().finditer(body):
        read = _read(shape)
        if read is None:
            continue
        if read[0] == "when" and out and out[-1].sort == "when" and shape.start() - out[-1].end <= 1:
            out[-1] = Value(out[-1].start, shape.end(), "when", f"{out[-1].norm};{read[1]}")
        else:
            out.append(Value(shape.start(), shape.end(), *read))
    return out


def _read(shape: re.Match[str]) -> tuple[str, str] | None:
    match shape.lastgroup:
        case "weekday":
            return "when", f"day={WEEKDAYS_CJK[shape['day']]}"
        case "date":
            return "when", f"date={_count(shape['month']):02.0f}-{_count(shape['mday']):02.0f}"
        case "clock":
            return "when", f"clock={_clock(shape)}"
        case "version":
            return "version", shape.group().lower().removeprefix("v")
        case "money":
            return "money:cny", f"{_count(shape['cash']):.12g}"
        case "state":
            return STATES[shape.group()]
        case "name":
            return "words", norm(shape.group())
    unit = (shape["unit"] or "").lower()
    if not unit and not shape["figure"][0].isdigit():
        return None
    amount = _count(shape["figure"])
    if unit in CURRENCIES:
        return f"money:{CURRENCIES[unit]}", f"{amount:.12g}"
    if unit in UNITS:
        return f"number:{UNITS[unit][0]}", f"{amount * UNITS[unit][1]:.12g}"
    return "number", f"{amount:.12g}"


def _count(written: str) -> float:
    if not written[0].isdigit():
        return float(cjk_number(written.replace("两", "二")) or 0)
    scale = {"万": 1e4, "千": 1e3, "亿": 1e8, "k": 1e3, "K": 1e3}.get(written[-1], 1.0)
    return float(written.rstrip("万千亿kK").replace(",", "")) * scale


def _clock(shape: re.Match[str]) -> str:
    half = shape["half"] or shape["half2"]
    if shape["hm"]:
        hour, minute = (int(part) for part in re.split("[:：]", shape["hm"]))
    else:
        hour = int(_count(shape["hour"]))
        minute = 30 if shape["minute"] == "半" else int((shape["minute"] or "0").rstrip("分"))
    return f"{hour + NOON if half in ('下午', '晚上') and hour < NOON else hour:02d}:{minute:02d}"


# What may stand between a subject and its verb, and what joins it to what it is from now on.
ADVERBS = "(?:现在|目前|如今|已经|刚刚?|一直|也|还|都是?|最|很|特别|非常|平时|主要)*"
MOVES, WORKS = "(?:搬到了?|搬去了?)", "(?:工作|上班|就职)"
BECOMES = (
    "改成|改为|改到|改用|换成|换到|换为|变成|变为|调整为|调整到|调到|调成|设成|设为|设置为|涨到|降到|提高到|降低到|增加到|减少到|升级到|升到|迁移到|"
    "迁到|切换到|切到|转到|搬到|推迟到|提前到|延到|延长到|缩短到|更新为|移到|改叫|改名为"
)
_SMALL = re.compile(
    r"我们的?|我的?|现在的?|目前|如今|已经|刚刚?|上周|昨天|今天|上个月|最近|从|的|了|是|为|在|把|将|被|都|请|也|还|又|其实|不对|更正|抱歉|一直|改|每(?=[周星])|大家|注意|通知|记得|用|到"
    r"|叫做?|不好意思|吧|哦|啊|呀|等于|定|终于|又"
)


def slot(said: str) -> str:
    """What is left of a clause: without small words and marks."""
    return re.sub(r"[\s，。、：:\"'“”（）()]", "", _SMALL.sub("", wide(said))).lower()


@cache
def _changed() -> re.Pattern[str]:
    return re.compile(
        rf"(?:由|从)(?P<old>[^，。]{{1,20}}?)(?:{BECOMES})了?(?P<new>[^，。]{{1,20}})|(?:用)(?P<new2>[^，。]{{1,20}}?)(?:代替|取代"
        rf"|替换)了?(?P<old2>[^，。]{{1,20}})"
    )


@cache
def _not_but() -> re.Pattern[str]:
    return re.compile(r"不是(?P<old>[^，。]{1,20}?)，?(?:而是|是)(?P<new>[^，。]{1,20})")


@cache
def _became() -> re.Pattern[str]:
    return re.compile(rf"(?:{BECOMES})了?(?P<new>[^，。]{{1,20}})")


@cache
def _lives() -> re.Pattern[str]:
    return re.compile(rf"^(?P<subject>.{{1,8}}?){ADVERBS}(?:住在|{MOVES})(?P<new>[^，。的]{{2,12}}?)(?:了)?$")


@cache
def _stands() -> re.Pattern[str]:
    return re.compile(
        rf"^(?P<subject>[^我你您他她，。]{{2,12}}?){ADVERBS}(?:在|位于|设在)(?P<new>[^，。的]{{1,12}}[楼层室厅区市省县镇村路街号馆院店厂园站库房校座])$"
    )


@cache
def _works() -> re.Pattern[str]:
    return re.compile(rf"^(?P<subject>.{{1,8}}?){ADVERBS}在(?P<new>[^，。]{{2,16}}?){WORKS}了?")


@cache
def _is() -> re.Pattern[str]:
    return re.compile(rf"^(?P<subject>[^，。]{{2,20}}?){ADVERBS}(?:是|叫做?|为)(?P<new>[^，。是]{{1,20}})$")


@cache
def _ended() -> re.Pattern[str]:
    return re.compile(r"不再|不(?=[^，。]{1,16}了$)|停止|取消了?|没有再|已经没")


# Ends of nouns of which there is one, as a name tells it; and of those that a figure or a date tells.
SINGLE = tuple(
    "负责人 经理 老板 主管 组长 主任 校长 数据库 语言 框架 地址 电话 邮箱 名字 名称 代号 "
    "地点 会议室 密码 服务商 供应商 编辑器 颜色 城市 公司 职业 工作 牙医 医生 房东 版本 许可证 "
    "分支 域名 主机 状态 联系人 老师 教练 室友 首都 总部 银行 口令 模型 平台 班主任".split()
)
FIGURED = ("端口", "生日")


def find(text: str, who: str) -> Iterator[Stated]:
    """The statements of a text's clauses."""
    corrects = False
    start = 0
    for low, high in clauses(text):
        said = text[low:high]
        if low != start:
            corrects = corrects and text[start:low].strip()[-1:] in "，,"
        corrects = corrects or _corrects().search(said) is not None
        start = high
        if not 3 <= len(said) <= CLAUSE_MAX or text[high : high + 1] in ("？", "?"):
            continue
        yield from _of(text, low, said, who, corrects)


def says(text: str, key: str) -> tuple[int, int] | None:
    """The clause of a text that says, for certain and of now, what a slot key stands for."""
    if not written(text) or len(key) < SLOT_MIN:
        return None
    for low, high in clauses(text):
        said = text[low:high]
        if slot(said) == key and not (unsure().search(said) or _past().search(said) or _ended().search(said)):
            return low, high
    return None


def names(text: str, value: str, topic: str) -> tuple[int, int] | None:
    """The clause of a text that says, for certain and of now, that what a newer one names as old is used."""
    if not written(text):
        return None
    for low, high in clauses(text):
        said = text[low:high]
        if (
            value not in said.lower()
            or "用" not in said
            or unsure().search(said)
            or _past().search(said)
            or _ended().search(said)
        ):
            continue
        if (topic and alike(topic, slot(said))) or (not topic and "我们" in said):
            return low, high
    return None


def moves(text: str) -> bool:
    """Whether a text is worded as a change, an end or a correction."""
    if _now().search(text) or _ended().search(text) or "而是" in text:
        return True
    return any(_corrects().match(text[low:high]) for low, high in clauses(text))


def alike(one: str, other: str) -> bool:
    """Whether two slots share a run of characters."""
    short, long = sorted((one, other), key=len)
    return any(short[at : at + SHARED_MIN] in long for at in range(len(short) - SHARED_MIN + 1))


def clauses(text: str) -> Iterator[tuple[int, int]]:
    """The bounds of the clauses of a text."""
    low = 0
    for joint in re.compile(rf"{_joints().pattern}|[？?]").finditer(text):
        if joint.start() > low:
            yield low, joint.start()
        low = joint.end()
    if low < len(text):
        yield low, len(text)


def _of(text: str, low: int, said: str, who: str, corrects: bool) -> Iterator[Stated]:
    made = _Maker(text, low, said, who, corrects)
    if (shape := _not_but().search(said)) and shape["old"]:
        yield made.stated(shape, "new", "old", cue="correction")
    elif shape := _changed().search(said):
        yield made.stated(shape, *(("new", "old") if shape["new"] else ("new2", "old2")), cue="change")
    elif (shape := _lives().search(said)) or (shape := _stands().search(said)):
        yield made.stated(shape, "new", relation="live")
    elif shape := _works().search(said):
        yield made.stated(shape, "new", relation="work")
    elif _ended().search(said):
        yield made.ended(_ended().sub("", said))
    elif shape := _became().search(said):
        yield made.stated(shape, "new", cue="change")
    else:
        yield from made.frames()


@dataclass(frozen=True, slots=True)
class _Maker:
    text: str
    low: int
    said: str
    who: str
    corrects: bool

    def stated(self, shape: re.Match[str], new: str, old: str = "", *, cue: Cue | None = None, relation: str = "") -> Stated:
        value, before = self._value(shape, new), self._value(shape, old) if old else None
        start = min(span[0] for span in (shape.span(new), shape.span(old) if old else shape.span(new)))
        head = shape["subject"] if relation else self.said[: min(start, shape.start())]
        rest = self.said[max(value.end, before.end if before else 0) :]
        return self._made(slot(head + rest), value, cue=cue, relation=relation, old=before.norm if before else None)

    def ended(self, positive: str) -> Stated:
        value = Value(0, len(self.said), "clause", slot(positive))
        return self._made("", value, cue="negation", polarity=-1)

    def frames(self) -> Iterator[Stated]:
        found = values(self.said)
        for value in found:
            if value.start == 0 or value.sort == "words":
                continue
            rest = self.said[: value.start] + self.said[value.end :]
            yield self._made(slot(rest), value)
        if (shape := _is().search(self.said)) and shape["subject"].endswith(SINGLE):
            value = self._value(shape, "new")
            if value.sort == "words":
                yield self._made(slot(shape["subject"]), value)

    def _value(self, shape: re.Match[str], group: str) -> Value:
        low = shape.start(group)
        surface = shape[group].rstrip("了。 ")
        found = [one for one in values(surface) if one.end - one.start >= len(surface) - 3]
        if len(found) == 1:
            return Value(low + found[0].start, low + found[0].end, found[0].sort, found[0].norm)
        return Value(low, low + len(surface), "words", norm(surface))

    def _made(
        self, key: str, value: Value, *, cue: Cue | None = None, relation: str = "", old: str | None = None, polarity: int = 1
    ) -> Stated:
        if unsure().search(self.said) or (cue is None and _moving().search(self.said)):
            cue = "tentative"
        elif cue is None:
            cue = "correction" if self.corrects else "change" if _now().search(self.said) else None
        owner = "we" if "我们" in self.said else self.who if "我" in self.said else ""
        clear = SLOT_MIN <= len(key) <= SLOT_MAX
        return Stated(
            self.low,
            self.low + len(self.said),
            owner,
            owner,
            relation or key,
            " ".join(filter(None, (key, relation))),
            self.said[value.start : value.end],
            value.norm,
            value.sort,
            polarity=1 if polarity > 0 else -1,
            old_value_norm=old,
            cue=cue,
            many=_many().search(self.said) is not None,
            keyed=clear or bool(relation and owner),
            past=_past().search(self.said) is not None,
        )
