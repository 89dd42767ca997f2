"""Secrets that people and tools leave in text, masked before anything is stored.

Always true here: masking twice changes nothing more, and what merely speaks of secrets ("password reset", a commit's
hash, a UUID) stays as it is. Shapes are those that the issuers document.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

TOKEN_LENGTH_MIN = 16  # "token: 42" counts something; tokens that open doors are long
ROUNDS_MAX = 8
BARE_LENGTH_MIN = 6  # without quotes or an environment file's form, shorter ones are words

# Kind, and the shape that nothing else has. The prefix is checked first, so the patterns rarely run.
KEYS: tuple[tuple[str, str, str], ...] = (
    ("anthropic", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{16,512}"),
    (
        "openai",
        "sk-",
        r"\bsk-(?!ant-)(?:(?:proj|svcacct|admin|or|live|None)-)?(?=[A-Za-z0-9_-]{0,200}[0-9])[A-Za-z0-9_-]{20,512}",
    ),
    ("github", "gh", r"\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})"),
    ("gitlab", "glpat-", r"\bglpat-[A-Za-z0-9_-]{16,255}"),
    ("aws", "A", r"\b(?:AKIA|ASIA|AROA|AIDA)[A-Z2-7]{16}\b"),
    ("google", "AIza", r"\bAIza[A-Za-z0-9_-]{35,512}"),
    ("google", "ya29.", r"\bya29\.[A-Za-z0-9_-]{20,512}"),
    ("google", "GOCSPX-", r"\bGOCSPX-[A-Za-z0-9_-]{20,64}"),
    ("slack", "xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}"),
    ("slack", "hooks.slack.com", r"(?<=hooks\.slack\.com/services/)[A-Z0-9]{6,16}/[A-Z0-9]{6,16}/[A-Za-z0-9]{16,64}"),
    ("stripe", "_", r"\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,255}"),
    ("npm", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("pypi", "pypi-", r"\bpypi-[A-Za-z0-9_-]{50,512}"),
    ("huggingface", "hf_", r"\bhf_[A-Za-z0-9]{30,64}\b"),
    ("sendgrid", "SG.", r"\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}"),
    # Our own: tokens, refresh tokens and the secrets of clients.
    *(("muniment", prefix, rf"\b{prefix}[A-Za-z0-9_-]{{43}}(?![A-Za-z0-9_-])") for prefix in ("mun_", "mr_", "ms_")),
    ("jwt", "eyJ", r"\beyJ[A-Za-z0-9_-]{8,2048}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,1024}"),
)

PASSWORDS = r"password|passwd|passphrase|pwd|passwort|contraseña|пароль|密码|密碼|パスワード|비밀번호"
SECRETS = (
    r"api[_-]?key|apikey|secret[_-]?access[_-]?key|(?:secret|access|private|signing|encryption|account|master|auth)[_-]?key|"
    r"client[_-]?secret|secret|(?:access|auth|api|refresh|bot|deploy|bearer|session|personal[_-]access)[_-]?token|token|credentials?"
)
# What a value is that only names one.
VARIABLE = r"[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+|(?:your|my|some|the|an?)[-_ ].*|[A-Za-z]+(?:_[A-Za-z]+)+"
# Words that stand where a secret would: types, nothings, and what documentation writes.
PLACEHOLDERS = frozenset(
    """
    str string bytes none null nil undefined true false optional any text varchar required changeme
    redacted hidden masked password
    secret token key value example placeholder xxx xxxx xxxxx xxxxxx todo empty here reset count
    """.split()
)
_HINTS = (
    *dict.fromkeys(prefix for _, prefix, _ in KEYS if len(prefix) > 3),
    "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "AKIA", "ASIA", "AROA", "AIDA", "xox", "eyJ", "SG.", "hf_",
    "mr_", "ms_", "k_live", "k_test", "whsec_", "github_pat_", "PRIVATE KEY", "://",
)  # fmt: skip
_WORDS = (
    "passw", "passphrase", "pwd", "secret", "token", "key", "credential", "bearer", "basic ",
    "contraseña", "пароль", "密码", "密碼", "パスワード", "비밀번호",
)  # fmt: skip


def mask(text: str) -> tuple[str, int]:
    """The text with each secret replaced by `[secret:KIND]`, and how many there were."""
    total = 0
    for _ in range(ROUNDS_MAX):  # a masked secret may lay bare the beginning of one that was glued to it
        text, count = _masked(text)
        total += count
        if not count:
            break
    return text, total


def mask_each(*texts: str | None) -> tuple[list[str | None], int]:
    """Several texts masked, those that are missing left out, and how many secrets there were in all."""
    found = [(text, 0) if text is None else mask(text) for text in texts]
    return [text for text, _ in found], sum(count for _, count in found)


def _masked(text: str) -> tuple[str, int]:
    count = 0

    def replaced(kind: str) -> str:
        nonlocal count
        count += 1
        return f"[secret:{kind}]"

    if _has(text, _HINTS):
        text = _private().sub(lambda found: replaced("private_key"), text)
        for kind, prefix, pattern in _keys():
            if prefix in text:
                text = pattern.sub(lambda found, kind=kind: replaced(kind), text)  # type: ignore[misc]
        if "://" in text:
            text = _sub_value(_urls(), text, lambda found: replaced("password") if _is_password(found["value"]) else None)
    if _has(text.lower(), _WORDS):
        text = _sub_value(_headers(), text, lambda found: replaced("bearer") if _mixed(found["value"]) else None)
        for pattern in (_assignments(), _options()) if "--" in text else (_assignments(),):
            text = _sub_value(pattern, text, lambda found: replaced(_kind(found["name"])) if _assigned(found) else None)
    return text, count


def _has(text: str, hints: tuple[str, ...]) -> bool:
    for hint in hints:  # noqa: SIM110  any() would take three times as long, and this runs for every turn
        if hint in text:
            return True
    return False


def _sub_value(pattern: re.Pattern[str], text: str, decide: Callable[[re.Match[str]], str | None]) -> str:
    """Replaces only the group `value`, where `decide` gives something for it."""

    def swap(found: re.Match[str]) -> str:
        new = decide(found)
        if new is None:
            return found.group()
        low, high = found.span("value")
        start = found.start()
        whole = found.group()
        return whole[: low - start] + new + whole[high - start :]

    return pattern.sub(swap, text)


@cache
def _keys() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((kind, prefix, re.compile(pattern, re.ASCII)) for kind, prefix, pattern in KEYS)


@cache
def _private() -> re.Pattern[str]:
    begin = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    end = r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    return re.compile(rf"{begin}(?:(?:[A-Za-z0-9+/=\s\\:,.]|-(?!-))*+{end}|(?:\s*+[A-Za-z0-9+/=]{{40,}}+)*+)")


@cache
def _urls() -> re.Pattern[str]:
    return re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@\[\]]{0,100}:(?P<value>[^\s@/\[\]]{1,200})@")


@cache
def _headers() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:bearer\s{1,4}|authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?basic\s{1,4})(?P<value>[A-Za-z0-9._~+/=-]{16,2048})",
        re.IGNORECASE | re.ASCII,
    )


@cache
def _assignments() -> re.Pattern[str]:
    operator = r"(?:\\?[\"'`\]]){0,2}[ \t]{0,8}(?P<op>=>|:=|==?|[:：]|[ ](?:is|ist|es|est)[ ])[ \t]{0,8}"
    return re.compile(_NAME + operator + _VALUE, re.IGNORECASE)


@cache
def _options() -> re.Pattern[str]:
    return re.compile(r"(?<!\S)--(?:[a-z]{1,20}-){0,3}" + _NAME + r"(?P<op>[ ]{1,4})" + _VALUE, re.IGNORECASE)


_NAME = rf"(?P<name>{PASSWORDS}|{SECRETS})"
# Quoted, or bare up to a space or bracket; a bracket right behind it makes it code ("token = read(…)").
_VALUE = (
    r"(?P<quote>\\?[\"'`])?(?P<value>(?(quote)[^\"'`\\\r\n]|[^\s\"'`<>()\[\]{},;，。；]){4,512}+)"
    r"(?![(\[{])"
)


def _kind(name: str) -> str:
    low = name.casefold()  # letters that only look otherwise count as theirs: the long s, the Kelvin sign
    if "token" in low:
        return "token"
    return "api_key" if "key" in low else "secret" if "secret" in low or "credent" in low else "password"


def _mixed(value: str) -> bool:
    """Letters and digits together, as made secrets have and words have not."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _is_password(value: str) -> bool:
    return not value.startswith(("$", "<", "{", "%", "*", "[secret:")) and value.strip("*xX.") != ""


def _assigned(found: re.Match[str]) -> bool:
    """Whether what is assigned is a secret: not a type, a placeholder, a variable or an ordinary word."""
    value, op, kind = found["value"].rstrip(".!?:"), found["op"].strip(), _kind(found["name"])
    if not _is_password(value) or value.lower() in PLACEHOLDERS or _variable().fullmatch(value):
        return False
    if kind == "token" and not (len(value) >= TOKEN_LENGTH_MIN and _mixed(value)):
        return False
    if found["quote"]:
        return " " not in value
    if kind == "password" and len(value) >= BARE_LENGTH_MIN and not value.isalpha() and op not in ("is", "ist", "es", "est"):
        return any(c.isdigit() for c in value) or op == "="
    if op == "=" and found["name"].isupper():
        return True  # DB_PASSWORD=swordfish in an environment file
    return len(value) >= BARE_LENGTH_MIN and _mixed(value)


@cache
def _variable() -> re.Pattern[str]:
    return re.compile(VARIABLE, re.ASCII)
