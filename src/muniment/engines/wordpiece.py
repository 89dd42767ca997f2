"""The uncased BERT tokenizer: text to numbers of word pieces, as the models trained with it expect.

Source: Devlin et al., "BERT", 2018, `tokenization.py`; accents are dropped, each Chinese character is a word.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

WORD_CHARS_MAX = 100
WORDS_KEPT_MAX = 20_000
_CHINESE = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """`vocabulary` is one piece a line. Answers depend on nothing but the text, so it may be used in several threads."""

    def __init__(self, vocabulary: str, tokens_max: int) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary.split("\n")[:-1])}
        self._tokens_max = tokens_max
        self._start, self._end, self._unknown = (self._numbers[mark] for mark in ("[CLS]", "[SEP]", "[UNK]"))
        self._pieces = lru_cache(WORDS_KEPT_MAX)(self._split)

    def encode(self, text: str) -> list[int]:
        """From [CLS] to [SEP], at most `tokens_max` in all."""
        numbers = [self._start]
        for word in words(text):
            numbers += self._pieces(word)
            if len(numbers) >= self._tokens_max:
                break
        return [*numbers[: self._tokens_max - 1], self._end]

    def _split(self, word: str) -> tuple[int, ...]:
        """The longest piece first, again and again; a word with a part that is no piece is unknown as a whole."""
        if len(word) > WORD_CHARS_MAX:
            return (self._unknown,)
        numbers: list[int] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._numbers.get(word[start:end] if start == 0 else "##" + word[start:end])
                if number is not None:
                    break
            else:
                return (self._unknown,)
            numbers.append(number)
            start = end
        return tuple(numbers)


def words(text: str) -> Iterator[str]:
    """Runs of lower-case characters without accents; punctuation and Chinese characters are words of their own."""
    run: list[str] = []
    for character in unicodedata.normalize("NFD", text.lower()):
        kind = _kind(character)
        if kind == "part":
            run.append(character)
            continue
        if kind == "nothing":
            continue
        if run:
            yield "".join(run)
            run = []
        if kind == "alone":
            yield character
    if run:
        yield "".join(run)


@lru_cache(8192)
def _kind(character: str) -> str:
    point = ord(character)
    category = unicodedata.category(character)
    if character in "\t\n\r" or category == "Zs":
        return "gap"
    if category in ("Mn", "Cc", "Cf", "Co", "Cs") or point == 0xFFFD:
        return "nothing"
    if category in ("Zl", "Zp"):
        return "gap"
    ascii_sign = point < 128 and not character.isalnum()
    if ascii_sign or category.startswith("P") or any(low <= point <= high for low, high in _CHINESE):
        return "alone"
    return "part"
