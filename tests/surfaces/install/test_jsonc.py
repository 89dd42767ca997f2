"""Edits in JSON with comments."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.errors import InvalidInput
from muniment.surfaces.install import jsonc

ENTRY = {"command": "/opt/m/muniment", "args": ["stdio"]}
PATH = ("mcpServers", "muniment")

COMMENTED = """\
// settings of Åsa
{
    "theme": "dark", // keep
    /* servers
       follow */
    "mcpServers": {
        "other": { "command": "x", "args": [1, 2,], }, // theirs
        // "off": {}
    },
    "tail": [1, 2, 3],
}
// end
"""


def test_an_entry_goes_behind_the_last_one_in_the_style_of_the_file() -> None:
    after = jsonc.put(COMMENTED, PATH, {"command": "m"})
    assert after == COMMENTED.replace(
        "// theirs\n", '// theirs\n        "muniment": {\n            "command": "m"\n        },\n'
    )


def test_taking_the_entry_out_gives_the_old_bytes() -> None:
    assert jsonc.remove(jsonc.put(COMMENTED, PATH, ENTRY), PATH) == COMMENTED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a":1}', '{"a":1, "m": {"x": [2]}}'),
        ('{ "a": 1 /* x */ }', '{ "a": 1, /* x */ "m": {"x": [2]} }'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"m": {\n\t\t"x": [\n\t\t\t2\n\t\t]\n\t}\n}'),
        ('{\r\n "a": 1\r\n}\r\n', '{\r\n "a": 1,\r\n "m": {\r\n  "x": [\r\n   2\r\n  ]\r\n }\r\n}\r\n'),
        ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "m": {\n    "x": [\n      2\n    ]\n  }\n}'),
        ('\ufeff{"a": 1}', '\ufeff{"a": 1, "m": {"x": [2]}}'),
        ("{\n}", '{\n  "m": {\n    "x": [\n      2\n    ]\n  }\n}'),
        ("{ // nothing\n}", '{ // nothing\n  "m": {\n    "x": [\n      2\n    ]\n  }\n}'),
        ("", '{\n  "m": {\n    "x": [\n      2\n    ]\n  }\n}\n'),
        ("// only this", '// only this\n{\n  "m": {\n    "x": [\n      2\n    ]\n  }\n}\n'),
    ],
)
def test_insertion_keeps_the_bytes_around_it(before: str, after: str) -> None:
    assert jsonc.put(before, ("m",), {"x": [2]}) == after


def test_a_list_grows_at_its_end_and_shrinks_at_a_position() -> None:
    grown = jsonc.put('{"l": [1, 2]}', ("l", 2), 3)
    assert grown == '{"l": [1, 2, 3]}'
    assert jsonc.remove(grown, ("l", 1)) == '{"l": [1, 3]}'


def test_a_value_is_replaced_in_place() -> None:
    assert jsonc.put('{"a": {"b": 1 /* c */}, "d": 2}', ("a", "b"), True) == '{"a": {"b": true /* c */}, "d": 2}'


def test_setting_what_is_there_changes_nothing() -> None:
    text = '{"a":   {"b":[ 1,2 ]}}'
    assert jsonc.put(text, ("a",), {"b": [1, 2]}) == text


def test_removing_what_is_not_there_changes_nothing() -> None:
    assert jsonc.remove(COMMENTED, ("mcpServers", "absent", "deeper")) == COMMENTED


def test_a_key_that_comes_twice_is_read_like_readers_do_and_removed_whole() -> None:
    text = '{"m": 1, "a": 0, "m": 2}'
    assert jsonc.value(text) == {"m": 2, "a": 0}
    assert jsonc.put(text, ("m",), 3) == '{"m": 1, "a": 0, "m": 3}'
    assert jsonc.remove(text, ("m",)) == '{ "a": 0}'


def test_a_comment_of_the_line_above_does_not_swallow_what_follows_a_removal() -> None:
    after = jsonc.remove('{ "a": 1, // note\n  "m": 2}', ("m",))
    assert jsonc.value(after) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{"a": 1', 1, 8),
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3),
        ("{'a': 1}", 1, 2),
        ('{"a": 01}', 1, 7),
        ('{"a": NaN}', 1, 7),
        ('{"a": 1} x', 1, 10),
        ('{"a": "b\nc"}', 1, 7),
        ("{,}", 1, 2),
        ("/* open", 1, 1),
        ('{"a" 1}', 1, 6),
        ('{"a": "\\x"}', 1, 7),
    ],
)
def test_what_cannot_be_parsed_is_refused_with_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(InvalidInput, match=rf"^line {line}, column {column}: "):
        jsonc.put(text, ("m",), 1)


def test_nesting_beyond_the_limit_is_refused() -> None:
    limit = jsonc.DEPTH_MAX
    jsonc.value("[" * limit + "]" * limit)
    with pytest.raises(InvalidInput, match="levels of nesting"):
        jsonc.value("[" * (limit + 2) + "]" * (limit + 2))


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": "x"}', "[]", "7"])
def test_a_path_through_another_kind_of_value_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="cannot hold it"):
        jsonc.put(text, PATH, ENTRY)


KEYS = st.text(st.characters(codec="utf-8", exclude_characters="\ufeff"), max_size=5)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), KEYS)
VALUES = st.recursive(SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)))
LINES = ["", " ", "\n", "\n  ", " // note, {\n", "/* [ , */", "\n/* two\nlines */ ", "\t"]


@st.composite
def commented(draw: st.DrawFn, value: Any, newline: str) -> str:
    """A text of a value with blanks and comments drawn between its tokens."""

    def gap() -> str:
        return draw(st.sampled_from(LINES))

    def written(value: Any) -> str:
        if not isinstance(value, (dict, list)):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        pairs = (
            [f"{gap()}{json.dumps(key)}{gap()}:{gap()}{written(one)}{gap()}" for key, one in value.items()]
            if isinstance(value, dict)
            else [f"{gap()}{written(one)}{gap()}" for one in value]
        )
        inside = ",".join(pairs) + ("," + gap() if pairs and draw(st.booleans()) else "")
        return ("{%s}" if isinstance(value, dict) else "[%s]") % (inside or gap())

    return (gap() + written(value) + gap()).replace("\n", newline)


def test_a_comma_below_a_comment_comes_back_to_its_place() -> None:
    text = '{"mcpServers":{\n"a":[1] // note, {\n,}}'
    assert jsonc.remove(jsonc.put(text, PATH, ENTRY), PATH) == text


@st.composite
def files(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    value = draw(st.dictionaries(KEYS, VALUES, max_size=4))
    if draw(st.booleans()):
        value["mcpServers"] = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    text = draw(commented(value, draw(st.sampled_from(["\n", "\r\n"]))))
    return draw(st.sampled_from(["", "\ufeff"])) + text, value


@settings(max_examples=150, deadline=None)
@given(files())
def test_insertion_adds_the_entry_and_nothing_else_and_removal_takes_it_back(file: tuple[str, dict[str, Any]]) -> None:
    text, value = file
    assert jsonc.value(text) == value
    servers = value.get("mcpServers", {})
    if not isinstance(servers, dict):
        return
    after = jsonc.put(text, PATH, ENTRY)
    assert jsonc.value(after) == value | {"mcpServers": servers | {"muniment": ENTRY}}
    back = jsonc.remove(after, PATH)
    assert jsonc.value(back) == value | {"mcpServers": {name: one for name, one in servers.items() if name != "muniment"}}
    if [name for name in servers if name != "muniment"] and "muniment" not in servers:
        assert back == text
