"""Words of a text as index terms, in every script, and the words a question asks for.

Always true here: a question and a text go through the same functions, so the same word gives the same terms on both
sides; every stop word is a term too, and only `asked` leaves them out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from types import MappingProxyType

from muniment.text.scripts import PAIRED, PAIRED_MARKS, WORD, fold, wide
from muniment.text.stems import TERM_LENGTH_MAX, WORDS_CACHED_MAX, stem
from muniment.text.stopwords import CERTAIN, ENGLISH, ENGLISH_CONTENT, OWN, PAIRS

TERMS_MAX = 200_000  # terms of one text; what comes after is stored, but not indexed
COUNT_MAX = 255  # a frequency has to fit one byte of a posting
SHORT_TEXT_MAX = 1000  # words; so few cannot reach TERMS_MAX, and need no counting
RUN_CACHED_MAX = 40  # longer runs without a space are seldom seen twice
RUN_MAX = 65_536  # characters looked at together, which bounds what one endless line takes
CAMEL_PARTS_MAX = 8
LANGUAGE_SAMPLE = 1000  # characters that show a text's language

ORDINALS = frozenset(("st", "nd", "rd", "th"))
ENDINGS = frozenset(("s", "re", "ve", "ll", "d", "m"))
ELIDED = frozenset(("l", "d", "j", "n", "s", "c", "m", "t", "qu", "jusqu", "lorsqu", "un", "all", "dell", "nell", "sull"))
NEGATED = MappingProxyType({"ca": "can", "wo": "will", "sha": "shall", "ai": "be"})


def terms(text: str) -> list[str]:
    """Every index term in order, stop words included: folded, stemmed, at most TERMS_MAX."""
    runs = text.split()
    if len(runs) <= SHORT_TEXT_MAX and max(map(len, runs), default=0) <= RUN_CACHED_MAX:
        return list(chain.from_iterable(map(_short, runs)))
    out: list[str] = []
    for run in runs:
        if len(run) <= RUN_CACHED_MAX:
            out += _short(run)
        else:
            for start in range(0, len(run), RUN_MAX):
                out += _run(run[start : start + RUN_MAX])
                if len(out) >= TERMS_MAX:
                    break
        if len(out) >= TERMS_MAX:
            return out[:TERMS_MAX]
    return out


def counts(text: str) -> dict[str, int]:
    """How often each term occurs, at most COUNT_MAX."""
    listed = terms(text)
    found = Counter(listed)
    return {term: min(n, COUNT_MAX) for term, n in found.items()} if len(listed) > COUNT_MAX else found


def asked(text: str) -> dict[str, int]:
    """The terms of a question without its stop words; all of them when nothing else remains."""
    found = Counter(terms(text))
    own = _own().get(_language(found), frozenset())
    kept = {term: n for term, n in found.items() if not is_stop(term) and term not in own}
    return kept or dict(found)


def is_stop(term: str) -> bool:
    """Whether a term (folded and stemmed) only joins or asks, whatever the language of its text."""
    return term in _stops()


def informative(found: Iterable[str]) -> frozenset[str]:
    """Those of some terms that say something."""
    return frozenset(found) - _stops()


def content(counted: Mapping[str, int]) -> int:
    """How many of the words that `counts` found say something."""
    stops = _stops()
    return sum(n for term, n in counted.items() if term not in stops)


def length(text: str) -> float:
    """How long a text is to read, in words; text without spaces counts two characters a word."""
    spaced = len(text.split())
    unspaced = len(text) / 2 if not text.isascii() and " " not in text.strip() else 0.0
    return max(float(spaced), unspaced)


@lru_cache(maxsize=WORDS_CACHED_MAX)
def _short(run: str) -> tuple[str, ...]:
    if run.isascii() and run.isalpha() and (run.islower() or run.istitle()):
        return (stem(run.lower()),)
    return tuple(_run(run))


def _run(run: str) -> list[str]:
    """The terms of a run without spaces."""
    out: list[str] = []
    for found in _pieces().finditer(wide(run)):
        piece = found.group()
        if found.lastgroup == "paired":
            out += _pairs(piece)
        elif found.lastgroup == "symbol":
            out += (piece.lower(), *_word(piece.strip("+#.")))
        else:
            out += _compound(piece) if found["rest"] else _word(piece)
        if len(out) >= TERMS_MAX:
            break
    return out


@cache
def _pieces() -> re.Pattern[str]:
    # Words joined by one of these make an identifier, a number, a name or a path. Everything is possessive: linear time.
    joint = r"(?:_++[./:\-]?_*+|(?:://|::|->|(?<=\d),(?=\d)|[.’'@&+/\\:\-])_*+)"
    return re.compile(
        rf"(?P<paired>[{PAIRED}]++)"
        r"|(?P<symbol>(?<![^\W_])(?:[A-Za-z]\+\+(?!\w)|[A-Za-z]\#(?!\w)|\.(?:NET|net)(?!\w)))"
        rf"|(?P<word>{WORD}(?P<rest>(?:{joint}{WORD})++)?+)"
    )


@cache
def _parts() -> re.Pattern[str]:
    return re.compile(WORD)


def _pairs(run: str) -> list[str]:
    """Overlapping pairs of characters, a mark kept with the character it stands on."""
    units: Sequence[str] = _units().findall(run) if _marked().search(run) else run
    if len(units) == 1:
        return [units[0][:TERM_LENGTH_MAX]]
    return [(a + b)[:TERM_LENGTH_MAX] for a, b in pairwise(units)]


@cache
def _marked() -> re.Pattern[str]:
    return re.compile(f"[{PAIRED_MARKS}]")


@cache
def _units() -> re.Pattern[str]:
    return re.compile(f".[{PAIRED_MARKS}]*+", re.DOTALL)


def _word(word: str) -> list[str]:
    """One word without joints: itself, and the parts of CamelCase or of a number with its unit."""
    if len(word) > TERM_LENGTH_MAX:
        return [fold(word[: TERM_LENGTH_MAX * 2])[:TERM_LENGTH_MAX]]
    folded = fold(word)
    if folded.isalpha() or not any(c.isdigit() for c in folded):  # marks of Hindi or Tamil words are no letters
        if word.isascii() and not (word.islower() or word.isupper() or word.istitle()):
            return [stem(folded), *_camel_parts(word)]
        return [stem(folded)]
    if split := _numbered().fullmatch(folded):
        return [folded, *(stem(part) for part in split.groups() if part and part not in ORDINALS)]
    return [folded, *_camel_parts(word)] if word.isascii() and not word.islower() else [folded]


def _camel_parts(word: str) -> list[str]:
    if word[-1] == "s" and word[:-1].isupper():
        return []  # APIs, URLs: one word in the plural
    parts: list[str] = _camel().findall(word)
    # More parts than that is not a name but a key or a coded blob.
    return [stem(part.lower()) for part in parts] if 1 < len(parts) <= CAMEL_PARTS_MAX else []


@cache
def _camel() -> re.Pattern[str]:
    return re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@cache
def _numbered() -> re.Pattern[str]:
    return re.compile(r"(\d+)([a-z]{1,4})|([a-z]{2,12})(\d{1,4})")


def _compound(piece: str) -> list[str]:
    """Words joined without a space: the whole when it identifies something, and its parts."""
    if _version().fullmatch(piece):
        piece = piece[1:]
    if "’" in piece or "'" in piece:
        return _apostrophe(piece.replace("’", "'"))
    if _grouped().fullmatch(piece):
        return [piece.replace(",", "")]
    parts = [term for part in _parts().findall(piece) for term in _word(part)]
    if not _identifying().search(piece):
        return parts
    whole = fold(piece[: TERM_LENGTH_MAX * 2])
    if _initials().fullmatch(whole):
        return [whole, whole.replace(".", ""), *parts]
    return [whole[:TERM_LENGTH_MAX], *parts]


@cache
def _grouped() -> re.Pattern[str]:
    return re.compile(r"\d{1,3}(?:,\d{3})+")


@cache
def _identifying() -> re.Pattern[str]:
    # A hyphen or one slash between plain words ("well-known", "and/or") identifies nothing.
    return re.compile(r"[\d_.@&+\\:>]|/.*/")


@cache
def _initials() -> re.Pattern[str]:
    return re.compile(r"[a-z](?:\.[a-z]){2,}")


@cache
def _version() -> re.Pattern[str]:
    return re.compile(r"[vV]\d+(?:\.\w+)+(?:[-+].*)?")


def _apostrophe(piece: str) -> list[str]:
    """Contractions lose their ending, negated ones become two words, names keep their joined form."""
    head, _, tail = piece.rpartition("'")
    ending = tail.lower()
    if ending == "t" and head[-1:] in ("n", "N"):
        verb = head[:-1].lower()
        return [stem(NEGATED.get(verb, fold(verb))), "not"]
    if ending in ENDINGS:
        return _joined(head)
    parts = [term for part in piece.split("'") if part for term in _joined(part)]
    if piece.split("'")[0].lower() in ELIDED:
        return parts
    return [stem(fold(piece[: TERM_LENGTH_MAX * 2].replace("'", ""))), *parts]


def _joined(piece: str) -> list[str]:
    return _word(piece) if piece.isalnum() else _compound(piece)


def _stemmed(stops: Iterable[str]) -> frozenset[str]:
    return frozenset(term for stop in stops for term in _short(stop))


@cache
def _stops() -> frozenset[str]:
    certain = frozenset().union(*CERTAIN.values()) - ENGLISH_CONTENT
    return _stemmed(ENGLISH) | _stemmed(certain) | PAIRS


def language(text: str) -> str:
    """ "german", "french", "spanish" or "russian" when a text's small words show it plainly, else "" (English too)."""
    return _language(terms(text[:LANGUAGE_SAMPLE]))


def _language(found: Iterable[str]) -> str:
    small = [term for term in found if term in _stops()]
    if not small:
        return ""
    best, name = max((sum(term in shows for term in small), name) for name, shows in _shown_by().items())
    return name if best > sum(term in _english() for term in small) else ""


@cache
def _english() -> frozenset[str]:
    return _stemmed(ENGLISH)


@cache
def _shown_by() -> dict[str, frozenset[str]]:
    """For each language the small words that no English text has."""
    return {name: _stemmed(certain - ENGLISH_CONTENT) - _english() for name, certain in CERTAIN.items()}


@cache
def _own() -> dict[str, frozenset[str]]:
    """For each language all that its own questions drop, such as "die" and "war" in German."""
    return {name: _stemmed(certain | OWN.get(name, frozenset())) for name, certain in CERTAIN.items()}
