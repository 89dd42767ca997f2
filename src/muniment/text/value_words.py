"""Words that make a value: units with what they come to, numbers in words, and states that exclude each other.

Always true here: two words of one family can be told apart by their norms alone; a word stands in one family only.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Unit words of one family, and how many of its smallest unit each one is.
_UNITS: dict[str, dict[float, str]] = {
    "time": {
        0.001: "ms millisecond milliseconds millisekunden 毫秒",
        1: "s sec secs second seconds sekunde sekunden segundo segundos seconde secondes 秒 秒钟",
        60: "min mins minute minutes minuten minuto minutos 分钟 分鐘",
        3600: "h hr hrs hour hours stunde stunden std heure heures hora horas 小时 小時 个小时",
        86_400: "day days tag tage tagen día días jour jours 天",
        604_800: "week weeks woche wochen semana semanas semaine semaines 周 星期 个星期 礼拜",
        2_629_746: "month months monat monate monaten mes meses mois 个月",
        31_556_952: "year years jahr jahre jahren año años an ans année années 年 岁",
    },
    "data": {
        1: "b byte bytes 字节",
        1024: "kb kib kilobyte kilobytes",
        1024**2: "mb mib megabyte megabytes 兆",
        1024**3: "gb gib gig gigs gigabyte gigabytes",
        1024**4: "tb tib terabyte terabytes",
    },
    "length": {
        0.001: "mm millimeter millimetre millimeters millimetres 毫米",
        0.01: "cm centimeter centimetre centimeters centimetres zentimeter 厘米 公分",
        1: "m meter metre meters metres metern 米",
        1000: "km kilometer kilometre kilometers kilometres kilometern 公里 千米",
        1609.344: "mi mile miles meile meilen 英里",
        0.3048: "ft foot feet",
        0.0254: "inch inches zoll",
    },
    "mass": {
        0.001: "mg milligram milligrams milligramm 毫克",
        1: "g gram grams gramm 克",
        500: "斤",
        1000: "kg kilo kilos kilogram kilograms kilogramm 公斤 千克",
        453.59237: "lb lbs pound pounds",
        28.349523: "oz ounce ounces",
        1_000_000: "tonne tonnes tonnen 吨",
    },
    "volume": {0.001: "ml milliliter millilitre 毫升", 1: "l liter litre liters litres litern 升", 3.785412: "gallon gallons"},
    "share": {1: "% percent prozent ％ 百分点 pct"},
    "frequency": {1: "hz hertz", 1000: "khz", 1_000_000: "mhz", 1_000_000_000: "ghz"},
    "power": {1: "w watt watts", 1000: "kw kilowatt kilowatts"},
    "energy": {1: "kcal calories kalorien 卡路里 大卡", 860.42: "kwh kilowattstunden"},
    "celsius": {1: "°c celsius ℃"},
    "fahrenheit": {1: "°f fahrenheit"},
    "degree": {1: "° degree degrees grad 度"},
}
UNITS: Mapping[str, tuple[str, float]] = MappingProxyType(
    {word: (family, size) for family, sizes in _UNITS.items() for size, words in sizes.items() for word in words.split()}
)
_CURRENCIES = {
    "usd": "$ dollar dollars usd bucks us$ 美元 美金 dólares",
    "eur": "€ euro euros eur 欧元",
    "gbp": "£ gbp quid",
    "cny": "¥ 元 块 块钱 人民币 rmb yuan cny 元钱",
    "chf": "chf franken",
    "jpy": "yen jpy 日元",
}
CURRENCIES: Mapping[str, str] = MappingProxyType({word: code for code, words in _CURRENCIES.items() for word in words.split()})
SCALES: Mapping[str, float] = MappingProxyType(
    {
        "k": 1e3, "thousand": 1e3, "tausend": 1e3, "千": 1e3, "mil": 1e3, "万": 1e4, "萬": 1e4, "m": 1e6, "million": 1e6,
        "millions": 1e6, "millionen": 1e6, "mio": 1e6, "亿": 1e8, "bn": 1e9, "billion": 1e9, "milliarden": 1e9, "mrd": 1e9,
    }
)  # fmt: skip

_NUMBERS = """
0 zero null cero zéro
2 two zwei dos deux 二 两 兩
3 three drei tres trois 三
4 four vier cuatro quatre 四
5 five fünf cinco cinq 五
6 six sechs seis 六
7 seven sieben siete sept 七
8 eight acht ocho huit 八
9 nine neun nueve neuf 九
10 ten zehn diez dix 十
11 eleven elf once onze 十一
12 twelve zwölf doce douze 十二
13 thirteen dreizehn
14 fourteen vierzehn
15 fifteen fünfzehn quince quinze 十五
16 sixteen sechzehn
17 seventeen siebzehn
18 eighteen achtzehn
19 nineteen neunzehn
20 twenty zwanzig veinte vingt 二十
30 thirty dreißig treinta trente 三十
40 forty vierzig cuarenta quarante 四十
50 fifty fünfzig cincuenta cinquante 五十
60 sixty sechzig sesenta soixante 六十
70 seventy siebzig
80 eighty achtzig
90 ninety neunzig
100 hundred hundert cien cent 一百
"""
NUMBER_WORDS: Mapping[str, int] = MappingProxyType(
    {word: int(line.split()[0]) for line in _NUMBERS.strip().split("\n") for word in line.split()[1:]}
)

# Words of one line exclude each other; a slash joins what means the same.
_STATES = {
    "switch": "on/enabled/activated/an/aktiviert/eingeschaltet/开启/启用/打开 off/disabled/deactivated/aus/deaktiviert/"
    "ausgeschaltet/abgeschaltet/关闭/禁用/停用",
    "open": "open/geöffnet/offen/开放 closed/geschlossen/zu/关门",
    "line": "online/up offline/down",
    "activity": "active/aktiv inactive/inaktiv paused/pausiert/暂停 archived/archiviert",
    "progress": "done/finished/completed/complete/fertig/abgeschlossen/完成 unfinished/incomplete/unfertig blocked/blockiert "
    "pending/ausstehend in-progress",
    "access": "public/öffentlich/公开 private/privat/私有/私密 internal/intern/内部",
    "need": "required/mandatory/compulsory/verpflichtend/pflicht/必填 optional/freiwillig/可选/选填",
    "cost": "free/kostenlos/gratis/免费 paid/kostenpflichtig/付费/收费",
    "family": "single/ledig/单身 married/verheiratet/已婚 engaged/verlobt/订婚 divorced/geschieden/离婚",
    "diet": "vegetarian/vegetarisch/vegetarier/vegetarierin/素食者 vegan/veganer/veganerin/纯素",
    "verdict": "approved/genehmigt/批准 rejected/abgelehnt/拒绝 withdrawn/zurückgezogen",
    "leave": "allowed/permitted/erlaubt/允许 forbidden/prohibited/banned/verboten/untersagt/禁止",
    "support": "supported/unterstützt unsupported deprecated/veraltet",
    "hours": "full-time/vollzeit/全职 part-time/teilzeit/兼职",
    "place": "remote/远程 onsite/on-site/vor-ort",
    "way": "manual/manually/manuell/手动 automatic/automatically/automated/automatisch/自动",
    "rhythm": "hourly/stündlich/每小时 daily/täglich/每天/每日 weekly/wöchentlich/每周 biweekly/fortnightly/zweiwöchentlich "
    "monthly/monatlich/每月 quarterly/quartalsweise/每季度 yearly/annually/jährlich/每年 nightly/nächtlich",
    "colour": "red/rot/rote/红色 blue/blau/blaue/蓝色 green/grün/grüne/绿色 yellow/gelb/黄色 black/schwarz/schwarze/黑色 "
    "white/weiß/weiße/白色 grey/gray/grau/灰色 purple/lila/紫色 orange pink/rosa/粉色 brown/braun/棕色 teal turquoise/türkis",
    "certainty": "confirmed/bestätigt/确认 unconfirmed/unbestätigt cancelled/canceled/abgesagt/取消",
    "truth": "true false",
    "mode": "light dark",
    "tested": "stable unstable experimental",
}
STATES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        word: (f"state:{family}", same.split("/")[0])
        for family, line in _STATES.items()
        for same in line.split()
        for word in same.split("/")
    }
)
