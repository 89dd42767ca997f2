"""The masking of secrets as a function of PostgreSQL, for what services file through the gateway and Python never sees.

It is made of the shapes of `text/redact.py`, whenever rights are given, and masks at least what these mask. PostgreSQL has no
bound above 255 and takes the longest match, so that lengths are left open; which of two signs is a letter it does not know
beyond ASCII, and takes them for one where that masks more.
"""

from __future__ import annotations

import re
import sys
from functools import cache

from muniment.text import redact

NAME = "gateway_masked(text)"
REPEATS_MAX = 255
# So much of a value Python looks at.
VALUE_MAX = 512
# What Python takes for white space; PostgreSQL knows it in ASCII only where words are told apart by bytes.
WHITE = r" \t\n\r\f\v\u001c-\u001f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
ASCII_WHITE = r"[ \t\n\r\f\v]"
# Letters of other scripts that Python takes for these, where case does not count.
TWINS = {"s": "\u017f", "k": "\u212a", "i": "\u0130\u0131"}
QUOTES = "\"'`"

_BODY = r"""
CREATE OR REPLACE FUNCTION gateway_masked(said TEXT, OUT masked TEXT, OUT secrets BIGINT) LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $masked$
DECLARE
    words TEXT COLLATE "C" := said;
    found TEXT[] COLLATE "C";
    held TEXT COLLATE "C";
    kind TEXT COLLATE "C";
    op TEXT;
    before BIGINT;
    mixed BOOLEAN;
BEGIN
    secrets := 0;
    FOR round IN 1..@ROUNDS LOOP
        before := secrets;@KEYS
        -- The longest first: it may begin like a shorter one, which would leave its end behind.
        FOR found IN SELECT m FROM regexp_matches(words, @URL, 'g') AS m ORDER BY length(array_to_string(m, '')) DESC LOOP
            IF found[2] !~ @NONE AND btrim(found[2], '*xX.') <> '' THEN
                words := replace(words, array_to_string(found, ''), found[1] || '[secret:password]' || found[3]);
                secrets := secrets + 1;
            END IF;
        END LOOP;
        FOR found IN SELECT m FROM regexp_matches(words, @HEADER, 'g') AS m ORDER BY length(array_to_string(m, '')) DESC LOOP
            IF found[2] ~ '[0-9]' AND found[2] ~ '[A-Za-z]' THEN
                words := replace(words, array_to_string(found, ''), found[1] || '[secret:bearer]');
                secrets := secrets + 1;
            END IF;
        END LOOP;
        FOR found IN
            SELECT m
            FROM (SELECT regexp_matches(words, @ASSIGNED, 'g') UNION ALL SELECT regexp_matches(words, @OPTION, 'g')) AS one (m)
            ORDER BY length(m[1] || coalesce(m[4] || m[5], m[6])) DESC
        LOOP
            held := rtrim(coalesce(found[5], found[6]), '.!?:');
            op := btrim(found[3]);
            kind := lower(translate(found[2], @TWINS));
            kind := CASE WHEN strpos(kind, 'token') > 0 THEN 'token' WHEN strpos(kind, 'key') > 0 THEN 'api_key'
                WHEN kind ~ 'secret|credential' THEN 'secret' ELSE 'password' END;
            mixed := held ~ @DIGIT AND held ~ @LETTER;
            CONTINUE WHEN held ~ @NONE OR btrim(held, '*xX.') = '' OR lower(held) = ANY (@PLACEHOLDERS)
                OR (length(held) <= @VALUE AND held ~ @VARIABLE)
                OR (kind = 'token' AND NOT (length(held) >= @TOKEN_LENGTH AND mixed));
            CONTINUE WHEN NOT CASE
                WHEN found[4] IS NOT NULL THEN strpos(left(held, @VALUE), ' ') = 0
                WHEN kind = 'password' AND length(held) >= @BARE_LENGTH AND held !~ '^[A-Za-z]+$'
                    AND op NOT IN ('is', 'ist', 'es', 'est') THEN held ~ @DIGIT OR op = '='
                WHEN op = '=' AND found[2] !~ '[a-z]' THEN true
                ELSE length(held) >= @BARE_LENGTH AND mixed END;
            held := found[1] || coalesce(found[4], '');
            words := replace(words, held || coalesce(found[5], found[6]), held || '[secret:' || kind || ']');
            secrets := secrets + 1;
        END LOOP;
        EXIT WHEN secrets = before;
    END LOOP;
    masked := words;
END $masked$
"""
_KEY = """
        IF strpos(words, {prefix}) > 0 THEN
            secrets := secrets + (SELECT count(*) FROM regexp_matches(words, {shape}, 'g'));
            words := regexp_replace(words, {shape}, '[secret:{kind}]', 'g');
        END IF;"""
_OFF = """
CREATE OR REPLACE FUNCTION gateway_masked(said TEXT, OUT masked TEXT, OUT secrets BIGINT) LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS 'SELECT said, 0::bigint'
"""


def function(*, masks: bool = True) -> str:
    """The statement that makes the function, or one that leaves every text as it is."""
    return _filled(_digits()) if masks else _OFF


def shapes() -> str:
    """Equal for programs that mask alike."""
    return _filled("")


def _filled(digits: str) -> str:
    keys = [
        ("private_key", "PRIVATE KEY", _private()),
        *((kind, begin, translated(shape)) for kind, begin, shape in redact.KEYS),
    ]
    parts = {
        "ROUNDS": str(redact.ROUNDS_MAX),
        "KEYS": "".join(_KEY.format(kind=kind, prefix=_literal(begin), shape=_literal(shape)) for kind, begin, shape in keys),
        "URL": _literal(rf"(\y[A-Za-z][A-Za-z0-9+.-]{{1,20}}://[^{WHITE}:/@\[\]]{{0,100}}:)([^{WHITE}@/\[\]]{{1,200}})(@)"),
        "HEADER": _literal(_header()),
        "ASSIGNED": _literal(_assigned()),
        "OPTION": _literal(_option()),
        "TWINS": ", ".join(_literal("".join(signs)) for signs in zip(*_twins(), strict=True)),
        "NONE": _literal(r"^([$<{%*]|\[secret:)"),
        "DIGIT": _literal(f"[0-9{digits}]"),
        "LETTER": _literal(r"[A-Za-z]|[^\u0001-\u007f]"),
        "PLACEHOLDERS": f"ARRAY[{', '.join(_literal(word) for word in sorted(redact.PLACEHOLDERS))}]",
        "VARIABLE": _literal(f"^(?:{redact.VARIABLE})$"),
        "VALUE": str(VALUE_MAX),
        "TOKEN_LENGTH": str(redact.TOKEN_LENGTH_MIN),
        "BARE_LENGTH": str(redact.BARE_LENGTH_MIN),
    }
    return re.sub(r"@([A-Z_]+)", lambda found: parts[found[1]], _BODY)


def translated(shape: str) -> str:
    """A shape of `redact.KEYS` as PostgreSQL reads it, which sees words in ASCII there."""
    shape = shape.replace(r"\b", r"\y")
    return re.sub(r"\{(\d+),(\d+)\}", lambda found: f"{{{found[1]},}}" if int(found[2]) > REPEATS_MAX else found[0], shape)


def _private() -> str:
    begin, end = (rf"-----{word} (?:[A-Z0-9]{{1,12}} ){{0,3}}PRIVATE KEY(?: BLOCK)?-----" for word in ("BEGIN", "END"))
    return rf"{begin}(?:(?:[A-Za-z0-9+/=\\:,.{WHITE}]|-(?!-))*{end}|(?:[{WHITE}]*[A-Za-z0-9+/=]{{40,}})*)"


def _header() -> str:
    bearer, authorization, basic = (_any_case(word, twins=False) for word in ("bearer", "authorization", "basic"))
    some = f"{ASCII_WHITE}{{0,4}}"
    begin = rf"""{bearer}{ASCII_WHITE}{{1,4}}|{authorization}["']?{some}[:=]{some}["']?{basic}{ASCII_WHITE}{{1,4}}"""
    return rf"(\y(?:{begin}))([A-Za-z0-9._~+/=-]{{16,}})"


def _assigned() -> str:
    verbs = "|".join(_any_case(word) for word in ("is", "ist", "es", "est"))
    operator = rf"(?:\\?[{QUOTES}\]]){{0,2}}[ \t]{{0,8}}(=>|:=|==?|[:：]|[ ](?:{verbs})[ ])[ \t]{{0,8}}"
    return f"({_name()}{operator}){_value()}"


def _option() -> str:
    return rf"((?:^|(?<=[{WHITE}]))--(?:[A-Za-z{''.join(TWINS.values())}]{{1,20}}-){{0,3}}{_name()}([ ]{{1,4}})){_value()}"


def _name() -> str:
    return f"({_any_case(redact.PASSWORDS)}|{_any_case(redact.SECRETS)})"


def _value() -> str:
    """Quoted, or bare up to a space or bracket, and in either case all of it.

    A sentence in quotes, and what begins like a variable, is no secret and may hold one: neither is taken for a value, since
    what is taken is not looked into. A space counts only within what Python looks at.
    """
    quoted, bare = rf"[^{QUOTES}\\\r\n]", rf"[^{WHITE}{QUOTES}<>()\[\]{{}},;，。；]"
    word = rf"[^ {QUOTES}\\\r\n]"
    # What is longer than Python looks at once is taken even before a bracket: it sees no bracket there.
    long = f"{_looked_at(bare)}{bare}+"
    some = rf"(?![$<{{%*]|\[secret:)(?:{word}{{4,}}|{_looked_at(word)}{quoted}*)"
    ends = rf"(?!{bare})"
    return rf"(?:(\\?[{QUOTES}])({some})(?!{quoted})|({bare}{{4,}}{ends}(?![(\[{{])|{long}{ends}))"


def _looked_at(sign: str) -> str:
    """As many of a sign as Python looks at."""
    return "".join(f"{sign}{{{min(REPEATS_MAX, left)}}}" for left in range(VALUE_MAX, 0, -REPEATS_MAX))


def _any_case(words: str, *, twins: bool = True) -> str:
    """A pattern of words, in which case does not count, written out: the store may not know the case of other scripts."""

    def each(sign: str) -> str:
        low = sign.lower()
        every = sorted({low, sign.upper(), *(TWINS.get(low, "") if twins else "")})
        return f"[{''.join(every)}]" if len(every) > 1 else sign

    return "".join(each(sign) if sign.isalpha() else sign for sign in words)


def _twins() -> list[tuple[str, str]]:
    return [(other, sign) for sign, others in TWINS.items() for other in others]


@cache
def _digits() -> str:
    """What Python takes for digits beyond ASCII, as the inside of a bracket."""
    found: list[list[int]] = []
    for code in range(128, sys.maxunicode + 1):
        if chr(code).isdigit():
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" if low < high else chr(low) for low, high in found)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
