"""How many tokens a text costs a language model, without any model's tokenizer.

Always true here: the estimate never falls when text is added, so a budget that fits keeps fitting when a text is cut.
"""

from __future__ import annotations

import re
from functools import cache

LATIN_CHARACTERS_A_TOKEN = 4.0
OTHER_CHARACTERS_A_TOKEN = 2.2  # Cyrillic, Arabic, Hindi, Thai: about two characters a token in current vocabularies
CJK_CHARACTERS_A_TOKEN = 1.0


def tokens(text: str) -> int:
    """About how many tokens a text is; at least 1 unless it is empty."""
    if text.isascii():
        return -(-len(text) // 4)
    plain = len(text.encode("ascii", "ignore"))
    cjk = len(text) - len(_cjk().sub("", text))
    other = len(text) - plain - cjk
    exact = plain / LATIN_CHARACTERS_A_TOKEN + cjk / CJK_CHARACTERS_A_TOKEN + other / OTHER_CHARACTERS_A_TOKEN
    return int(-(-exact // 1))


@cache
def _cjk() -> re.Pattern[str]:
    return re.compile("[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+")
