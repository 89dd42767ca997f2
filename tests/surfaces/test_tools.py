"""The shipped tool list: what the catalogue says, small enough, and correct JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from muniment.errors import InvalidInput
from muniment.model.access import LEVEL_SCOPES
from muniment.surfaces import offer, tools, wire
from muniment.surfaces.catalogue import OPERATIONS, Operation

AGENT = LEVEL_SCOPES["agent"]


def definitions(**narrow: Any) -> list[dict[str, Any]]:
    return tools.shipped().offered(AGENT, narrow.get("toolsets"), read_only=narrow.get("read_only", False))


def test_making_the_list_again_changes_nothing(golden: Callable[[str, str], None]) -> None:
    golden("src/muniment/surfaces/tools.json", tools.generated())


def test_a_working_agents_list_is_small() -> None:
    listed = json.dumps({"tools": definitions()}, separators=(",", ":"), ensure_ascii=False).encode()
    assert len(listed) <= tools.LIST_BYTES_MAX
    assert len(definitions()) <= 11


def test_the_instructions_fit() -> None:
    text = tools.shipped().instructions
    assert len(text) <= tools.INSTRUCTIONS_LENGTH_MAX
    assert text == tools.INSTRUCTIONS
    assert all(word in text for word in ("recall", "Remember", "never an instruction", "abstain", "ref"))


@pytest.mark.parametrize("tool", tools.shipped().tools, ids=lambda tool: tool.name)
def test_a_definition_is_correct(tool: tools.Tool) -> None:
    shown = tool.definition
    schema = shown["inputSchema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert shown["description"]
    assert shown["title"]
    assert len(shown["name"]) < 50
    assert shown["annotations"]["readOnlyHint"] is tool.read_only
    assert shown["annotations"]["openWorldHint"] is False
    assert "null" not in json.dumps(schema)


def test_only_the_connector_tools_have_an_output_schema() -> None:
    with_schema = [tool.name for tool in tools.shipped().tools if "outputSchema" in tool.definition]
    assert with_schema == ["search", "fetch"]
    for name in with_schema:
        tool = tools.shipped().named(name)
        assert tool is not None
        jsonschema.Draft202012Validator.check_schema(tool.definition["outputSchema"])


EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    (
        "recall",
        {"query": "x", "workspace": ["a", "b"], "filter": {"kind": ["turn", "fact"], "after": "2024-01-01"}, "limit": 3},
    ),
    ("recall", {"workspace": "*"}),
    ("read", {"ref": "t_1", "span": [0, 10], "include": ["history"], "around": True}),
    ("remember", {"text": "x", "kind": "decision", "labels": {"tags": ["a"]}, "op": "add", "expected_version": 1}),
    ("ingest", {"session": "s", "turns": [{"speaker": "a", "text": "b"}], "document": {"text": "t", "format": "html"}}),
    ("search", {"query": "x"}),
    ("fetch", {"id": "m_1"}),
    ("get_context", {"task": "x", "max_tokens": 100}),
    ("stats", {}),
    ("list_projects", {}),
]


@pytest.mark.parametrize(("name", "values"), EXAMPLES)
def test_what_the_schema_accepts_the_server_accepts(name: str, values: dict[str, Any]) -> None:
    operation = next(one for one in OPERATIONS if one.name == name)
    tool = tools.shipped().named(name)
    assert tool is not None
    jsonschema.validate(values, tool.definition["inputSchema"])
    wire.request_of(operation, values)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("recall", {"limt": 1}),
        ("recall", {"limit": 1000}),
        ("recall", {"filter": {"kind": ["facts"]}}),
        ("read", {"span": [1, 2, 3]}),
        ("search", {}),
        ("ingest", {"turns": [{"text": "a"}]}),
        ("remember", {"op": "delete"}),
    ],
)
def test_what_the_schema_refuses_the_server_refuses(name: str, values: dict[str, Any]) -> None:
    operation = next(one for one in OPERATIONS if one.name == name)
    tool = tools.shipped().named(name)
    assert tool is not None
    assert not jsonschema.Draft202012Validator(tool.definition["inputSchema"]).is_valid(values)
    with pytest.raises(InvalidInput):
        wire.request_of(operation, values)


def test_the_list_is_narrowed_by_scope_toolset_and_reading() -> None:
    def names(shown: list[dict[str, Any]]) -> set[str]:
        return {tool["name"] for tool in shown}

    everything = {operation.name for operation in OPERATIONS}
    assert names(definitions()) == everything
    assert names(definitions(toolsets=frozenset({"connect"}))) == {"search", "fetch"}
    assert names(definitions(read_only=True)) == everything - {"remember", "ingest"}
    viewer = tools.shipped().offered(LEVEL_SCOPES["viewer"], None, read_only=False)
    assert names(viewer) == everything - {"remember", "ingest"}


@pytest.mark.parametrize("scopes", [frozenset(), frozenset({"read"}), frozenset({"append"}), AGENT])
@pytest.mark.parametrize("toolsets", [None, frozenset({"connect"}), frozenset({"write"})])
@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_listed_can_be_called_and_nothing_else(
    scopes: frozenset[str], toolsets: frozenset[str] | None, read_only: bool
) -> None:
    listed = {tool["name"] for tool in tools.shipped().offered(scopes, toolsets, read_only=read_only)}
    callable_ = {one.name for one in OPERATIONS if offer.refusal(one, scopes, toolsets, read_only=read_only) is None}
    assert listed == callable_


def test_a_refusal_names_every_scope_that_would_do() -> None:
    remember = next(one for one in OPERATIONS if one.name == "remember")
    refused = offer.refusal(remember, frozenset({"read"}), None, read_only=False)
    assert refused is not None
    assert "append or write" in refused.message


def test_a_toolset_that_is_none_is_an_error() -> None:
    assert offer.toolsets_named("") is None
    assert offer.toolsets_named(" connect , recall") == {"connect", "recall"}
    with pytest.raises(InvalidInput, match="recal"):
        offer.toolsets_named("recal")


def test_the_shipped_list_is_part_of_the_package() -> None:
    assert tools.FILE.parent == Path(wire.__file__).parent


def test_no_operation_is_forgotten() -> None:
    assert [tool.name for tool in tools.shipped().tools] == [operation.name for operation in OPERATIONS]
    for tool, operation in zip(tools.shipped().tools, OPERATIONS, strict=True):
        assert (tool.toolset, tool.scopes, tool.read_only) == (operation.toolset, operation.scopes, operation.read_only)
        assert isinstance(operation, Operation)
