"""Signs that a text speaks to an agent instead of telling something: orders to forget orders, forged roles and tool calls.

Only concrete signs count, since whoever discusses prompts, tools and servers all day must not be suspected. Every pattern is
bounded, so a text of any shape is read in linear time; most texts end at the cheap look for words that every sign needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Literal

from muniment.text import terms

Kind = Literal["override", "role", "tool", "agent", "prompt", "exfiltration", "hidden"]

SIGNS_MAX = 20
# Of a sentence, this much may stand between the words of a sign.
_GAP = r"[^.!?。！？؟।\n]{0,40}?"
_NEAR = r"[^.!?。！？؟।\n]{0,20}?"
# Marks without width that a word can be cut with. Joiners belong to scripts and emoji; they are taken out as well to read.
_ZERO = "\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff"


@dataclass(frozen=True, slots=True)
class Sign:
    """`text[start:end]` looks like an instruction to an agent."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A sign is looked for only where one of its `words` (lower case) stands in the text."""

    kind: Kind
    words: tuple[str, ...]
    pattern: str


def _verb_first(verbs: str, which: str, what: str) -> str:
    return rf"\b(?:{verbs})\b{_GAP}\b(?:{which})\b{_NEAR}\b(?:{what})\b"


def _noun_first(verbs: str, what: str, which: str) -> str:
    return rf"\b(?:{verbs})\b{_GAP}\b(?:{what})\b{_NEAR}\b(?:{which})"


_LATIN = (
    _Pattern(
        "override",
        ("ignor", "disregard", "forget", "overrid", "bypass"),
        _verb_first(
            r"ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|bypass(?:ing)?",
            r"previous|prior|above|earlier|preceding|former|existing|initial|original|system|safety|all|any|your",
            r"instructions?|prompts?|rules|directives?|guidelines|guardrails|orders|commands|programming|training|polic(?:y|ies)",
        )
        + r"|\b(?:ignore|disregard|forget) (?:all|everything|anything) (?:of )?(?:the )?"
        r"(?:above|before this|previous(?:ly)?|you (?:were|have been|are) (?:told|taught|given)|you know)\b",
    ),
    _Pattern(
        "override",
        ("ignor", "missacht", "vergi"),
        _verb_first(
            r"ignorier\w{1,4}|missacht\w{1,3}|vergi(?:ss|ß)",
            r"vorherig\w{1,2}|bisherig\w{1,2}|vorig\w{1,2}|vorangegangene\w?|obig\w{1,2}|früher\w{1,2}|alle|deine|ihre|system",
            r"(?:system)?(?:anweisung|instruktion|regel|vorgabe|befehl|prompt)\w{0,3}",
        ),
    ),
    _Pattern(
        "override",
        ("ignor", "oubli"),
        _noun_first(
            r"ignore[zr]?|oublie[zr]?",
            r"instructions?|consignes?|règles?|directives?",
            r"précédent|antérieur|ci-dessus|système|initial|reçu",
        ),
    ),
    _Pattern(
        "override",
        ("ignor", "olvid", "caso omiso"),
        _noun_first(
            r"ignor(?:a|e|ad|ar|en)|olvid(?:a|e|ar|en)|caso omiso",
            r"instrucciones|órdenes|ordenes|reglas|indicaciones|directrices",
            r"anterior|previ|de arriba|del sistema|precedente|iniciales",
        ),
    ),
    _Pattern(
        "override",
        ("ignor", "esque", "desconsider"),
        _noun_first(
            r"ignor(?:e|a|ar|em)|esque(?:ça|ca|cer|ce)|desconsidere",
            r"instruções|instrucoes|regras|ordens|comandos|diretrizes",
            r"anterior|prévi|acima|do sistema|iniciais",
        ),
    ),
    _Pattern(
        "override",
        ("ignor", "dimentic"),
        _noun_first(
            r"ignora(?:re|te)?|dimentica(?:re|te)?",
            r"istruzioni|regole|direttive",
            r"precedent|anterior|sopra|di sistema|inizial",
        ),
    ),
    _Pattern(
        "override",
        ("negeer", "vergeet"),
        _verb_first(
            r"negeer|vergeet",
            r"vorige|eerdere|bovenstaande|alle|jouw|je|systeem",
            r"(?:systeem)?(?:instructies|opdrachten|regels|aanwijzingen)",
        ),
    ),
    _Pattern(
        "override",
        ("ignoruj", "zapomnij"),
        _verb_first(
            r"z?ignoruj(?:cie)?|zapomnij(?:cie)?",
            r"poprzedni\w{1,3}|wcześniejsz\w{1,3}|powyższ\w{1,3}|wszystki\w{1,3}|swoich|systemow\w{1,3}",
            r"(?:instrukcj|polece|zasad|reguł)\w{0,4}",
        ),
    ),
    _Pattern(
        "override",
        ("abaikan", "lupakan"),
        _noun_first(r"abaikan|lupakan", r"instruksi|perintah|aturan", r"sebelumnya|di atas|sistem"),
    ),
    _Pattern(
        "role",
        ("<", "inst]"),
        r"<\s{0,3}+/?\s{0,3}+(?:system|assistant|developer)(?:[-_ ]?(?:prompt|message|reminder|instructions?))?\s{0,3}+>"
        r"|<\s{0,3}+/\s{0,3}+(?:user|human|instructions?|prompt|untrusted\w{0,20}+|user_input|memory|memories|evidence)\s{0,3}+>"
        r"|<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)\|>"
        r"|\[/?INST\]|<</?SYS>>|<start_of_turn>",
    ),
    _Pattern(
        "tool",
        ("<", "_call"),
        r"</?(?:\w{1,10}+:)?(?:function_calls?|tool_calls?|tool_use|tool_results?|function_results?)(?:\s[^<>]{0,200}+)?>"
        r"|<(?:\w{1,10}+:)?invoke\s{1,3}name\s{0,3}="
        r"|^[ \t]{0,8}+\{\s{0,8}+\"(?:tool_calls|function_call)\"\s{0,5}+:",
    ),
    _Pattern(
        "agent",
        (" ai", "llm", "assistant"),
        r"\b(?:important|urgent|attention|message|instructions?|notice|note)\b[: ]{1,3}"
        r"(?:instructions? |message |note |notice )?(?:to|for) "
        r"(?:the |any |all |every )?(?:llms?|assistants?|ai(?: agents?| assistants?| models?)?)"
        r"(?: reading this| processing this)?\s{0,2}[:!]"
        rf"|\b(?:ai|llm|assistant|agent)s?,? (?:reading|processing|summari[sz]ing) this\b"
        rf"{_GAP}\b(?:must|should|have to|need to)\b",
    ),
    _Pattern(
        "agent",
        ("the user",),
        r"(?:^|[.!?;:,]\s{1,3}|\band )(?:do not|don't|never) (?:tell|inform|alert) the user\b",
    ),
    _Pattern(
        "agent",
        ("system", "instruction"),
        r"\b(?:reveal|print|repeat|output|leak|disclose|dump)\b[^.!?\n]{0,30}?\b(?:your|the) (?:\w{1,10}+ ){0,2}?"
        r"(?:system (?:prompt|message|instructions?)|hidden instructions|initial instructions)\b",
    ),
    _Pattern(
        "agent",
        ("dan", "jailbr", "restricted", "uncensored", "bound"),
        r"\byou are now (?:in )?(?:dan\b|jailbroken|unrestricted|uncensored|an? (?:unrestricted|uncensored)"
        r"|(?:no longer|not) (?:bound|restricted))",
    ),
    _Pattern(
        "prompt",
        ("system", "instruction"),
        r"```\s{0,3}+system\b(?:[-_ ]?prompt)?[ \t]{0,3}+$"
        r"|[-=*#]{2,10}+\s{0,3}(?:begin|start)(?: of)? (?:new |hidden |system |developer ){1,2}(?:prompt|instructions?|message)"
        r"|^[\s>*#\[]{0,6}+system override\b"
        r"|^[\s>*#\[]{0,6}+(?:your )?new (?:system )?instructions? ?(?:\*\*)?:"
        r"|^#{2,4} ?system:",
    ),
    _Pattern(
        "exfiltration",
        ("http",),
        r"!\[[^\]\n]{0,200}+\]\(\s{0,3}+https?://[^)\s?]{1,300}+\?[^)\s]{0,200}?"
        r"\b(?:[\w-]{0,30}=(?:\{|%7b|\$\{|\[|<)|(?:exfil|leak|secrets?|passwords?|conversation|chat_?history|api_?key)=)"
        r"|\b(?:send|upload|forward|exfiltrate|transmit|leak|e-?mail|post)\b[^.!?\n]{0,60}?\b"
        r"(?:(?:all|any|every|the user's|your|their)"
        r"[^.!?\n]{0,30}?(?:credentials|passwords|secrets|private keys?|ssh keys?|environment variables)"
        r"|(?:this|the|entire|full|whole) (?:conversation|chat history|chat log|memory|memories)"
        r"|contents? of \S{0,60}?(?:\.env|id_rsa|\.ssh|\.aws))\b[^!?\n]{0,80}?https?://",
    ),
    _Pattern(
        "exfiltration",
        ("curl", "wget"),
        r"\b(?:curl|wget)\b[^\n]{0,200}?(?:\$\(|`)\s{0,3}(?:printenv|env\b|(?:cat|base64)[^\n)`]{0,60}?"
        r"(?:\.ssh|\.env\b|\.aws|id_rsa|/etc/passwd|credentials|secrets?))",
    ),
)
# Signs that no text of plain Latin letters holds.
_OTHER = (
    _Pattern(
        "override",
        ("игнорир", "забуд", "не обращай"),
        _verb_first(
            r"(?:про)?игнорируй(?:те)?|забудь(?:те)?|не обращай(?:те)? внимания на",
            r"(?:предыдущ|прежн|вышеуказанн|систем|все|свои)\w{0,5}",
            r"(?:инструкци|указани|правил|команд|промпт)\w{0,3}",
        ),
    ),
    _Pattern(
        "override",
        ("ігноруй", "забудь"),
        _verb_first(
            r"(?:про)?ігноруй(?:те)?|забудь(?:те)?",
            r"(?:попередн|системн|всі|усі|свої)\w{0,3}",
            r"(?:інструкці|вказівк|правил|команд)\w{0,3}",
        ),
    ),
    _Pattern(
        "override",
        ("yok say", "görmezden", "unut", "dikkate"),
        rf"\b(?:önceki|yukarıdaki|tüm|sistem){_GAP}(?:talimat|yönerge|kural|komut)\w{{0,8}}{_NEAR}"
        r"(?:yok say|görmezden gel|unut|dikkate alma)",
    ),
    _Pattern(
        "override",
        ("忽略", "无视", "無視", "忘记", "忘記", "忘掉", "理会", "理會"),
        r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要理會)[^。！？\n]{0,12}(?:之前|以前|以上|上面|先前|前面|此前|所有|系统|系統)"
        r"[^。！？\n]{0,12}(?:指令|指示|提示|规则|規則|命令)",
    ),
    _Pattern(
        "override",
        ("無視", "忘れ", "破棄"),
        r"(?:以前|これまで|上記|先ほど|前|すべて|全て|システム)[^。！？\n]{0,12}(?:指示|命令|プロンプト|ルール|指令)"
        r"[^。！？\n]{0,8}(?:無視|忘れ|破棄)",
    ),
    _Pattern(
        "override",
        ("무시", "잊"),
        r"(?:이전|앞선|위의|모든|기존|시스템)[^.!?\n]{0,12}(?:지시|명령|프롬프트|규칙|지침)[^.!?\n]{0,10}(?:무시|잊)",
    ),
    _Pattern(
        "override",
        ("تجاهل", "انس", "تجاوز"),
        r"(?:تجاهل|انس|تجاوز)[^.!؟\n]{0,30}(?:التعليمات|الأوامر|القواعد|الإرشادات)[^.!؟\n]{0,20}(?:السابقة|أعلاه|النظام)",
    ),
    _Pattern(
        "override",
        ("अनदेखा", "अंदाज", "भूल"),
        r"(?:पिछले|पहले के|उपरोक्त|सभी|सिस्टम)[^।!?\n]{0,20}(?:निर्देश|आदेश|नियम)[^।!?\n]{0,24}(?:अनदेखा|नज़रअंदाज|नजरअंदाज|भूल)",
    ),
    _Pattern(
        "override",
        ("bỏ qua", "quên", "phớt lờ"),
        _noun_first(r"bỏ qua|quên|phớt lờ", r"hướng dẫn|chỉ dẫn|lệnh|quy tắc|chỉ thị", r"trước|ở trên|hệ thống"),
    ),
)
# Letters of the tag block spell what no reader sees, unless they follow the black flag; overrides of direction turn a line
# around; a long run of marks without width carries something.
_HIDDEN = (
    "(?<![\U0001f3f4\U000e0000-\U000e007f])[\U000e0000-\U000e007f]{2,}"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}"
    f"|[\u202d\u202e]|[{_ZERO}]{{8,}}"
)
_GATE_WORDS = """
ignore ignoring ignoriere ignorieren ignoriert ignorier ignorez ignorer ignora ignorad ignorar ignoren ignorem ignorate
ignorare ignoruj ignorujcie zignoruj zignorujcie disregard disregarding forget forgetting override overriding bypass bypassing
missachte missachten missacht vergiss oublie oubliez oublier olvida olvide olvidar olviden omiso esqueca esquece esquecer
desconsidere dimentica dimenticare dimenticate negeer vergeet zapomnij zapomnijcie abaikan lupakan inst ai llm llms assistant
assistants user system instruction instructions dan jailbroken unrestricted uncensored bound restricted http https curl wget
tool_calls function_call
"""


def suspect(text: str) -> bool:
    """Whether there is any sign at all."""
    return bool(signs(text, 1))


def possible(text: str, counted: Iterable[Mapping[str, int]]) -> bool:
    """Whether `signs` may find anything, told from the index terms of a text, which whoever stores it has at hand.

    Reading one turn of talk for signs takes 4 µs, this 1 µs; a turn is stored in 130.
    """
    return not text.isascii() or "<" in text or not all(map(_gate().isdisjoint, counted))


def signs(text: str, most: int = SIGNS_MAX) -> tuple[Sign, ...]:
    """The signs of a text by their place, at most `most`. Offsets are code points of the text itself."""
    if text.isascii():
        return _ordered(_found(text, _LATIN, most), most)
    hidden = zip(_compiled(_HIDDEN).finditer(text), range(most), strict=False)
    found = [Sign("hidden", match.start(), match.end()) for match, _ in hidden]
    bare, places = _bare(text)
    seen = _found(bare, _LATIN + _OTHER, most)
    # Where a sign stands in the text that holds the marks as well.
    found += [Sign(one.kind, places[one.start], places[one.end - 1] + 1) for one in seen] if places else seen
    return _ordered(found, most)


@cache
def _gate() -> frozenset[str]:
    """The index terms one of which a text in plain Latin letters has that holds a sign; those with a `<` aside."""
    return frozenset(chain.from_iterable(map(terms.terms, _GATE_WORDS.split())))


def _found(text: str, patterns: tuple[_Pattern, ...], most: int) -> list[Sign]:
    found: list[Sign] = []
    low = f" {text.lower()}"
    for one in patterns:
        if any(word in low for word in one.words):
            matches = zip(_compiled(one.pattern).finditer(text), range(most), strict=False)
            found += [Sign(one.kind, match.start(), match.end()) for match, _ in matches]
    return found


def _ordered(found: list[Sign], most: int) -> tuple[Sign, ...]:
    return tuple(sorted(found, key=lambda one: (one.start, one.end))[:most])


def _bare(text: str) -> tuple[str, list[int]]:
    """The text without marks that nobody sees, and where each character of it stands; no places where there are none."""
    unseen = _compiled(f"[{_ZERO}]")
    if not unseen.search(text):
        return text, []
    places = [place for place, char in enumerate(text) if not unseen.match(char)]
    return "".join(text[place] for place in places), places


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when a text first needs it: most processes see no such text at all."""
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
