"""The calendar in words: months, weekdays, units, near days and numbers of eight languages.

Always true here: a word stands for one thing in every language that has it, so no language has to be known; words that
break this ("may", "mars", "hier") are in a set of their own and need more than themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_MONTHS = """
january jan januar jänner janvier enero январь января январе
february feb februar feber février fevrier febrero февраль февраля феврале
march mar märz maerz mars marzo март марта марте
april apr avril abril апрель апреля апреле
may mai mayo май мая мае
june jun juni juin junio июнь июня июне
july jul juli juillet julio июль июля июле
august aug août aout agosto август августа августе
september sep sept septembre septiembre setiembre сентябрь сентября сентябре
october oct oktober okt octobre octubre октябрь октября октябре
november nov novembre noviembre ноябрь ноября ноябре
december dec dezember dez décembre decembre diciembre dic декабрь декабря декабре
"""
_WEEKDAYS = """
monday mon montag lundi lunes понедельник понедельника
tuesday tue tues dienstag mardi martes вторник вторника
wednesday wed mittwoch mercredi miércoles miercoles среда среду среды
thursday thu thur thurs donnerstag jeudi jueves четверг четверга
friday fri freitag vendredi viernes пятница пятницу пятницы
saturday sat samstag sonnabend samedi sábado sabado суббота субботу субботы
sunday sun sonntag dimanche domingo воскресенье воскресенья
"""
_UNITS = {
    "minute": "minute minutes min mins minuten minuto minutos минута минуту минуты минут 分钟 分鐘 分 분",
    "hour": "hour hours stunde stunden heure heures hora horas час часа часов 小时 小時 时间 時間 시간",
    "day": "day days tag tage tagen jour jours día días dia dias день дня дней 天 日 일",
    "week": "week weeks woche wochen semaine semaines semana semanas неделя неделю недели недель неделе "
    "周 週 星期 个星期 個星期 礼拜 禮拜 个礼拜 週間 주 주일",
    "month": "month months monat monate monaten mois mes meses месяц месяца месяцев месяце "
    "个月 個月 か月 ヶ月 カ月 ヵ月 ケ月 개월 달",
    "year": "year years jahr jahre jahren an ans année années año años anos год года году лет 年 년",
}
_DAY_WORDS = {
    -2: "vorgestern anteayer antier позавчера 前天 一昨日 おととい 그저께 그제 avant-hier",
    -1: "yesterday gestern ayer вчера 昨天 昨日 昨晚 昨夜 어제 어젯밤",
    0: "today tonight heute aujourd'hui hoy сегодня 今天 今日 今晚 今早 今朝 今夜 오늘",
    1: "tomorrow завтра demain 明天 明日 내일",
    2: "übermorgen послезавтра après-demain 后天 後天 明後日 あさって 모레",
}
_DIRECTIONS = {
    -1: "last past previous letzte letzten letzter letztes letztem vorige vorigen voriges vergangene vergangenen vergangenes "
    "dernier dernière pasado pasada прошлый прошлая прошлую прошлой прошлом прошлое",
    0: "this current diese dieser dieses diesen diesem ce cette cet este esta этот эта эту этой этом это",
    1: "next coming upcoming following nächste nächsten nächster nächstes kommende kommenden kommendes prochain prochaine "
    "próximo próxima следующий следующая следующую следующей следующем",
}
_NUMBERS = """
a an one ein eine einem einer un une una uno один одну одна 一 하나 한
two couple zwei deux dos два две 二 两 兩 두
three drei trois tres три 三 세
four vier quatre cuatro четыре 四 네
five fünf cinq cinco пять 五
six sechs seis шесть 六
seven sieben sept siete семь 七
eight acht huit ocho восемь 八
nine neun neuf nueve девять 九
ten zehn dix diez десять 十
eleven elf onze once одиннадцать 十一
twelve zwölf douze doce двенадцать 十二
"""


def _numbered(lines: str) -> Mapping[str, int]:
    return MappingProxyType({word: n for n, line in enumerate(lines.strip().split("\n"), 1) for word in line.split()})


MONTHS = _numbered(_MONTHS)
# English words, or words of another kind, that are also months: they need a capital, a number or a preposition.
MONTHS_UNSURE = frozenset(
    "may march mar mars mayo mai jan sep dec nov oct feb jun jul apr aug dic dez okt sept август март".split()
)
WEEKDAYS: Mapping[str, int] = MappingProxyType({word: n - 1 for word, n in _numbered(_WEEKDAYS).items()})
WEEKDAYS_CJK: Mapping[str, int] = MappingProxyType(
    {
        sign: n
        for n, signs in enumerate(("一月월", "二火화", "三水수", "四木목", "五金금", "六土토", "日天일"))
        for sign in signs
    }
)
UNITS: Mapping[str, str] = MappingProxyType({word: unit for unit, words in _UNITS.items() for word in words.split()})
DAY_WORDS: Mapping[str, int] = MappingProxyType({word: n for n, words in _DAY_WORDS.items() for word in words.split()})
DIRECTIONS: Mapping[str, int] = MappingProxyType({word: n for n, words in _DIRECTIONS.items() for word in words.split()})
NUMBERS = _numbered(_NUMBERS)
# Vague amounts stand for a range of units, both ends included.
VAGUE: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "few": (2, 5),
        "several": (3, 7),
        "einigen": (2, 5),
        "paar": (2, 5),
        "quelques": (2, 5),
        "unos": (2, 5),
        "几": (2, 5),
        "数": (2, 5),
    }
)
SEASONS: Mapping[str, int] = MappingProxyType({"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12})
# Periods that are one word where nothing is written between words.
PERIODS_CJK: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        word: (unit, n)
        for unit, n, words in (
            ("week", -1, "上周 上週 上星期 上个星期 上個星期 上礼拜 上个礼拜 先週 지난주 저번주"),
            ("week", 0, "这周 這週 本周 本週 这星期 这个星期 這個星期 今週 이번주"),
            ("week", 1, "下周 下週 下星期 下个星期 下個星期 来週 다음주"),
            ("month", -1, "上个月 上個月 上月 先月 지난달 저번달"),
            ("month", 0, "这个月 這個月 本月 今月 이번달"),
            ("month", 1, "下个月 下個月 下月 来月 다음달"),
            ("year", -2, "前年 一昨年 재작년"),
            ("year", -1, "去年 昨年 작년 지난해"),
            ("year", 0, "今年 올해"),
            ("year", 1, "明年 来年 내년"),
            ("weekend", -1, "上周末 上个周末 先週末 지난주말"),
            ("weekend", 0, "这周末 本周末 这个周末 今週末 이번주말"),
            ("weekend", 1, "下周末 下个周末 来週末 다음주말"),
        )
        for word in words.split()
    }
)
