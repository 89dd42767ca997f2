"""Word pieces as the reference tokenizer makes them; the expected pieces come from it."""

from __future__ import annotations

import pytest

from muniment.engines import minilm
from muniment.engines.files import digest
from muniment.engines.wordpiece import WordPiece

VOCABULARY = minilm.VOCABULARY.read_text(encoding="utf-8")
PIECES = VOCABULARY.split("\n")


def test_the_vocabulary_is_the_published_one():
    assert digest([minilm.VOCABULARY]) == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("Where did Ana park?", ["where", "did", "ana", "park", "?"]),
        ("embeddings", ["em", "##bed", "##ding", "##s"]),
        ("Café-Größe", ["cafe", "-", "gr", "##o", "##ße"]),
        ("$5.20 + x^2", ["$", "5", ".", "20", "+", "x", "^", "2"]),
        ("日本 go", ["日", "本", "go"]),
        ("zero\u200bwidth\x00", ["zero", "##wi", "##dt", "##h"]),
        ("tab\tnew\nline\u00a0end", ["tab", "new", "line", "end"]),
        ("🤖 ok", ["[UNK]", "ok"]),
        ("x" * 101, ["[UNK]"]),
    ],
)
def test_pieces_are_those_of_the_reference(text, pieces):
    found = WordPiece(VOCABULARY, 64).encode(text)
    assert [PIECES[number] for number in found] == ["[CLS]", *pieces, "[SEP]"]


def test_a_long_text_is_cut_and_still_closed():
    found = WordPiece(VOCABULARY, 8).encode("one two three four five six seven eight nine")
    assert [PIECES[number] for number in found] == ["[CLS]", "one", "two", "three", "four", "five", "six", "[SEP]"]
