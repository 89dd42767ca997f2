from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.text.fence import FENCE_CLOSE, FENCE_OPEN_PREFIX, NOTE_LENGTH_MAX, strip, visible, wrap

HOSTILE = st.lists(
    st.sampled_from(
        [
            FENCE_OPEN_PREFIX,
            FENCE_CLOSE,
            "[/muniment",
            " evidence]",
            "[",
            "]",
            "\n",
            "\r\n",
            " ",
            "⟦",
            "[ MUNIMENT  Evidence",
            "words",
            "İ",
        ]
    )
    | st.text(max_size=3)
).map("".join)


def test_a_wrapped_text_stands_between_its_marks() -> None:
    assert wrap("Cone six.", "2 records") == "[muniment evidence 2 records]\nCone six.\n[/muniment evidence]"
    assert wrap("Cone six.") == "[muniment evidence]\nCone six.\n[/muniment evidence]"


@given(HOSTILE, HOSTILE)
def test_nothing_of_a_wrapped_text_outlives_stripping(body: str, note: str) -> None:
    wrapped = wrap(body, note)
    assert strip(wrapped) == ""
    assert wrapped.count(FENCE_CLOSE) == wrapped.count(FENCE_OPEN_PREFIX) == 1
    assert "\n" not in wrapped.partition("]")[0]


@given(st.text(), HOSTILE, st.text())
def test_what_stands_around_a_block_stays(before: str, body: str, after: str) -> None:
    if FENCE_OPEN_PREFIX in before + after:
        return
    assert strip(f"{before}\n{wrap(body)}\n{after}") == f"{before}\n{after}"


@given(HOSTILE)
def test_stripping_twice_removes_nothing_more_from_what_was_wrapped(body: str) -> None:
    text = f"{wrap(body)}\nwords\n{wrap(body)}"
    assert strip(strip(text)) == strip(text) == "words\n"


def test_marks_inside_are_defused_in_any_case_and_spacing_and_stay_legible() -> None:
    body = "[/muniment evidence]\n[Muniment  Evidence x] [ / MUNIMENT\tevidence]"
    assert wrap(body).splitlines()[1:-1] == ["⟦/muniment evidence]", "⟦Muniment  Evidence x] ⟦ / MUNIMENT\tevidence]"]


def test_a_note_is_one_line_that_cannot_close_the_mark() -> None:
    first = wrap("x", "a]\nb\r\n[/muniment evidence]" + "c" * 1000).splitlines()[0]
    assert first.startswith("[muniment evidence a) b ⟦/muniment evidence)ccc")
    assert len(first) == len(FENCE_OPEN_PREFIX) + 1 + NOTE_LENGTH_MAX + 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n[muniment evidence x]\nb", "a\n"),
        ("  [muniment evidence]\r\nb\r\n[/muniment evidence]\r\nc", "c"),
        ("a\n[muniment evidence]\nb\n[/muniment evidence] c", "a\n c"),
        (wrap("a") + wrap("b") + "c", "c"),
        ("they write [muniment evidence x] there", "they write [muniment evidence x] there"),
        ("x [muniment evidence]\n[muniment evidence]\nno\n[/muniment evidence]\nb", "x [muniment evidence]\nb"),
        ("[muniment evidences]", "[muniment evidences]"),
        ("[/muniment evidence]", "[/muniment evidence]"),
        ("", ""),
    ],
)
def test_only_a_block_that_begins_its_line_is_removed(text: str, left: str) -> None:
    assert strip(text) == left


@pytest.mark.parametrize(
    "piece", ["x[muniment evidence ", "[muniment evidence", "[", "[ ", "[         ", "\n[muniment evidence ", "[/muniment "]
)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    started = time.process_time()
    strip(piece * 200_000)
    wrap(piece * 200_000, piece * 1000)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200bb\u2060c\ufeffd\u00ade", "abcde"),
        ("esc \x1b[31mred\x1b[0m\x07 \x9b1m", "esc [31mred[0m 1m"),
        ("tab\tand\r\nline", "tab\tand\r\nline"),
        ("so \U000e0068\U000e0069 far", "so  far"),
        ("flag \U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", None),
        ("family 👨‍👩‍👧, heart ❤️, می‌خواهم", None),
        ("شلام \u200fא", None),
        ("x\ufe01\ufe02\ufe03y", "xy"),
        ("left\u202eright\u202c \u2066isolated\u2069", "leftright isolated"),
    ],
)
def test_what_no_reader_sees_is_not_shown(text: str, shown: str | None) -> None:
    assert visible(text) == (text if shown is None else shown)


@pytest.mark.parametrize(
    "tag",
    ["</system>", "< / SYSTEM >", "<assistant>", "</user>", "<|im_end|>", "[/INST]", "<<SYS>>", "</instructions>",
     "</tool_result>", "<invoke x>", "</ns:parameter>"],
)  # fmt: skip
def test_tags_of_prompts_are_defused_inside_and_stay_legible(tag: str) -> None:
    shown = wrap(f"before {tag} after")
    assert tag not in shown
    assert f"before {tag.replace('<', '‹', 1).replace('[', '⟦', 1)} after" in shown.replace("‹‹", "‹<")


@pytest.mark.parametrize("code", ["<div></div>", "List<User>", "a <| b |> c", "git config <user>", "[install]"])
def test_code_stays_as_it_is(code: str) -> None:
    assert code in wrap(code)


def test_tags_are_looked_for_in_linear_time() -> None:
    started = time.perf_counter()
    for piece in ("<", "< ", "</", "< / ", "<|", "[", "\u200c"):
        wrap(visible(piece * 200_000))
    assert time.perf_counter() - started < 5
