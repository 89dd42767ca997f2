"""Edits in TOML."""

from __future__ import annotations

import tomllib

import pytest

from muniment.errors import InvalidInput
from muniment.surfaces.install import toml

ENTRY = {"command": "/opt/m/muniment", "args": ["stdio"]}
PATH = ("mcp_servers", "muniment")

FILE = """\
# mine
model = "gpt"   # best

[mcp_servers.other]
command = 'x'
note = \"\"\"
[mcp_servers.muniment]
\"\"\"

[tools]  # last
web = true
"""


def test_the_table_goes_to_the_end_and_every_other_byte_stays() -> None:
    after = toml.put(FILE, PATH, ENTRY)
    assert after == FILE + '\n[mcp_servers.muniment]\ncommand = "/opt/m/muniment"\nargs = ["stdio"]\n'
    assert tomllib.loads(after)["mcp_servers"]["muniment"] == ENTRY


@pytest.mark.parametrize("text", [FILE.split("note")[0], 'a = 1\r\n[b]\r\nc = "d"\r\n', "", "\ufeffa = 1\n"])
def test_taking_the_table_out_gives_the_old_bytes(text: str) -> None:
    assert toml.remove(toml.put(text, PATH, ENTRY), PATH) == text


def test_windows_line_ends_and_the_byte_order_mark_stay() -> None:
    after = toml.put("\ufeffa = 1\r\n", PATH, ENTRY)
    assert after.startswith("\ufeffa = 1\r\n\r\n[mcp_servers.muniment]\r\n")
    assert "\n" not in after.replace("\r\n", "")


def test_subtables_go_with_the_table_and_comments_of_the_next_stay() -> None:
    text = "[mcp_servers.muniment]\ncommand = 'x'\n\n[mcp_servers.muniment.env]\nA = 'b'\n\n# tools\n[tools]\nweb = true\n"
    assert toml.remove(text, PATH) == "\n# tools\n[tools]\nweb = true\n"


def test_a_header_inside_a_text_is_not_taken_for_a_table() -> None:
    after = toml.remove(toml.put(FILE, PATH, ENTRY), PATH)
    assert tomllib.loads(after) == tomllib.loads(FILE)


def test_an_inline_table_of_servers_is_extended_in_place() -> None:
    text = "mcp_servers = { other = { command = 'x' } } # inline\n[z]\nq = 1\n"
    after = toml.put(text, PATH, ENTRY)
    assert tomllib.loads(after)["mcp_servers"] == {"other": {"command": "x"}, "muniment": ENTRY}
    assert tomllib.loads(toml.remove(after, PATH)) == tomllib.loads(text)


def test_one_key_is_replaced_in_place() -> None:
    text = "[mcp_servers.muniment]\ncommand = 'old' # path\nenabled = false\n"
    assert toml.put(text, (*PATH, "command"), "/new") == text.replace("'old'", '"/new"')


def test_a_broken_file_is_refused_with_its_line() -> None:
    with pytest.raises(InvalidInput, match="line 2"):
        toml.put("a = 1\nb = \n", PATH, ENTRY)


def test_a_list_of_tables_in_the_place_of_servers_is_refused() -> None:
    with pytest.raises(InvalidInput):
        toml.put("[[mcp_servers]]\na = 1\n", PATH, ENTRY)
