"""The shipped tool list: what the catalogue says, small enough, and correct JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from muniment import settings
from muniment.errors import InvalidInput
from muniment.model.access import LEVEL_SCOPES
from muniment.surfaces import offer, tools, wire
from muniment.surfaces.catalogue import OPERATIONS, Operation, named

AGENT = LEVEL_SCOPES["agent"]
OPERATOR = LEVEL_SCOPES["operator"]
WRITING = {"remember", "ingest", "judge", "propose_memory", "govern", "forget", "tokens"}


def definitions(*, read_only: bool = False) -> list[dict[str, Any]]:
    """What the agent on this machine is shown, as the settings are when nobody has touched them."""
    held = settings.load({}, {})
    scopes, toolsets = offer.local(OPERATOR, held.stdio_toolsets, held.toolsets)
    return tools.shipped().offered(scopes, toolsets, read_only=read_only)


def names(scopes: frozenset[str], toolsets: frozenset[str] | None = None, *, read_only: bool = False) -> set[str]:
    return {tool["name"] for tool in tools.shipped().offered(scopes, toolsets, read_only=read_only)}


def test_making_the_list_again_changes_nothing(golden: Callable[[str, str], None]) -> None:
    golden("src/muniment/surfaces/tools.json", tools.generated())


def test_a_working_agents_list_is_small() -> None:
    listed = json.dumps({"tools": definitions()}, separators=(",", ":"), ensure_ascii=False).encode()
    assert len(listed) <= tools.LIST_BYTES_MAX
    assert len(definitions()) == 11


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
    ("get_context", {"task": "x", "max_tokens": 400}),
    ("stats", {}),
    ("list_projects", {}),
    ("near", {"entity": "x", "as_of": "2024-01-01"}),
    ("why", {"from": "a", "to": "b"}),
    (
        "remember",
        {
            "text": "x",
            "op": "supersede",
            "target": "m_1",
            "expected_version": 1,
            "claims": [{"subject": "a", "attribute": "b", "value": "c"}],
            "links": [{"ref": "m_2", "relation": "supports"}],
        },
    ),
    ("propose_memory", {"project_id": "x", "request_id": "1", "change": {"op": "add_fact", "text": "x"}}),
    ("search_memory", {"project_id": "x", "query": "y"}),
    ("review", {"do": {"verb": "overview"}}),
    ("review", {"do": {"verb": "diff", "ref": "m_1", "new": 2}, "workspace": "x"}),
    ("judge", {"conflict": "c_1", "verdict": "choose", "reason": "x", "plan": [{"ref": "m_1", "op": "use_as_resolution"}]}),
    ("govern", {"do": {"verb": "retire", "target": "m_1", "expected_version": 1, "heir": "m_2"}, "reason": "x"}),
    ("govern", {"do": {"verb": "undo", "action": "a_1"}}),
    ("forget", {"ref": "m_1", "dry_run": True}),
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
        ("why", {"from_": "a", "to": "b"}),
        ("review", {"do": {"verb": "look"}}),
        ("review", {"do": {"verb": "history"}}),
        ("govern", {"do": {"verb": "undo"}, "hurry": True}),
        ("govern", {"do": {"target": "m_1", "expected_version": 1}}),
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
    everything = {operation.name for operation in OPERATIONS} - {"workspaces"}
    proposing = {"propose_memory", "search_memory"}
    assert names(LEVEL_SCOPES["admin"]) == everything - proposing | {"workspaces"}
    assert names(LEVEL_SCOPES["owner"]) == everything - proposing
    assert names(OPERATOR) == everything - proposing - {"govern", "forget", "tokens"}
    assert names(AGENT) == everything - {"govern", "forget", "judge", "tokens"}
    assert names(LEVEL_SCOPES["curator"]) == everything - WRITING | proposing
    assert names(LEVEL_SCOPES["viewer"]) == everything - WRITING - proposing
    assert names(OPERATOR, frozenset({"connect"})) == {"search", "fetch"}
    assert names(AGENT, read_only=True) == everything - WRITING


def test_proposing_is_for_those_who_may_not_write() -> None:
    propose = named("propose_memory")
    assert propose is not None
    assert names(frozenset({"propose"})) == {"propose_memory"}
    refused = offer.refusal(propose, OPERATOR, None, read_only=False)
    assert refused is not None
    assert "may not write" in refused.message
    assert "remember" in (refused.do_next or "")


def test_governing_is_listed_for_a_local_agent_only_when_it_is_switched_on() -> None:
    shown = {tool["name"] for tool in definitions()}
    assert not shown & {"review", "judge", "govern", "forget"}
    scopes, toolsets = offer.local(OPERATOR, "connect,recall,write,govern", "")
    assert names(scopes, toolsets) == shown | {"review", "judge", "govern", "forget"}
    narrowed, left = offer.local(OPERATOR, "connect,recall,write", "connect,govern")
    assert "govern" not in narrowed
    assert names(narrowed, left) == {"search", "fetch"}


@pytest.mark.parametrize(
    "scopes", [frozenset(), frozenset({"read"}), frozenset({"append"}), frozenset({"propose"}), *LEVEL_SCOPES.values()]
)
@pytest.mark.parametrize("toolsets", [None, *(frozenset({name}) for name in offer.TOOLSETS)])
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


def test_a_scope_that_is_missing_is_told_before_a_toolset_that_is() -> None:
    govern = next(one for one in OPERATIONS if one.name == "govern")
    lacking = offer.refusal(govern, OPERATOR, offer.remote(OPERATOR, "", None), read_only=False)
    assert lacking is not None
    assert "needs the scope" in lacking.message
    unlisted = offer.refusal(govern, LEVEL_SCOPES["owner"], frozenset(offer.EVERYDAY), read_only=False)
    assert unlisted is not None
    assert "not offered here" in unlisted.message


def test_what_a_token_is_offered_on_the_network_is_what_its_bearer_works_with() -> None:
    everyday = frozenset(offer.EVERYDAY)
    for level, more in (("viewer", {"propose"}), ("agent", set()), ("operator", set()), ("curator", {"propose"})):
        assert offer.remote(LEVEL_SCOPES[level], "", None) == everyday | more
    for level in ("owner", "admin"):
        assert offer.remote(LEVEL_SCOPES[level], "", None) == everyday | {"govern", "admin"}
    assert offer.remote(LEVEL_SCOPES["agent"], "connect,propose", None) == {"connect", "propose"}
    assert offer.remote(LEVEL_SCOPES["owner"], "", frozenset({"connect", "propose"})) == {"connect"}
    for level in ("viewer", "agent", "operator"):
        shown = tools.shipped().offered(LEVEL_SCOPES[level], offer.remote(LEVEL_SCOPES[level], "", None), read_only=False)
        assert len(json.dumps({"tools": shown}, separators=(",", ":"), ensure_ascii=False).encode()) <= tools.LIST_BYTES_MAX


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
        assert (tool.also, tool.hidden_by) == (operation.also, operation.hidden_by)
        assert isinstance(operation, Operation)
