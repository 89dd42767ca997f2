"""What the official conformance suite asks of any server, put beside our own tools, prompts and resources: for tests alone.

Only the content is added: every answer goes through our gate, our mount and our session manager.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import secrets
import struct
import zlib
from collections.abc import Callable
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from muniment.surfaces import rpc

Result = dict[str, Any]
MISSING_CAPABILITY = -32021
TEMPLATE = re.compile(r"test://template/([^/]+)/data")
STATE_KEY = secrets.token_bytes(32)


def png() -> str:
    """One red dot."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00")) + chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + parts).decode()


def wav() -> str:
    """Eight samples of silence."""
    data = bytes(8)
    head = b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
    return base64.b64encode(head + b"data" + struct.pack("<I", len(data)) + data).decode()


def text(said: str) -> Result:
    return {"type": "text", "text": said}


def says(said: str, *, failed: bool = False) -> Result:
    return {"content": [text(said)], "isError": failed}


def embedded(uri: str, kind: str, said: str) -> Result:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": said}}


IMAGE = {"type": "image", "data": png(), "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": wav(), "mimeType": "audio/wav"}
PLAIN: dict[str, Result] = {
    "test_simple_text": says("This is a simple text response for testing."),
    "test_image_content": {"content": [IMAGE]},
    "test_audio_content": {"content": [AUDIO]},
    "test_embedded_resource": {
        "content": [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
    },
    "test_multiple_content_types": {
        "content": [
            text("Multiple content types test:"),
            IMAGE,
            embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ]
    },
    "test_error_handling": says("This tool intentionally returns an error for testing", failed=True),
    "test_logging_tool": says("Nothing was logged."),
    "test_streaming_elicitation": says("Nothing had to be asked."),
    "json_schema_2020_12_tool": says("Nothing was done."),
    "test_headers": says("The headers fit."),
}
SCHEMAS: dict[str, Result] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
    "test_headers": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
}


# --- tools that ask back: the stateless core's way, in which a result says what it still needs ---------------------


def elicit(message: str, name: str, kind: str = "string") -> Result:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sample(question: str, tokens: int) -> Result:
    return {
        "method": "sampling/createMessage",
        "params": {"messages": [{"role": "user", "content": text(question)}], "maxTokens": tokens},
    }


ROOTS: Result = {"method": "roots/list", "params": {}}
NEEDS: dict[str, dict[str, Result]] = {
    "test_input_required_result_elicitation": {"user_name": elicit("What is your name?", "name")},
    "test_input_required_result_sampling": {"capital_question": sample("What is the capital of France?", 100)},
    "test_input_required_result_list_roots": {"client_roots": ROOTS},
    "test_input_required_result_request_state": {"confirm": elicit("Please confirm", "ok", "boolean")},
    "test_input_required_result_tampered_state": {"confirm": elicit("Please confirm", "ok", "boolean")},
    "test_input_required_result_multiple_inputs": {
        "user_name": elicit("What is your name?", "name"),
        "greeting": sample("Generate a greeting", 50),
        "client_roots": ROOTS,
    },
}
STATEFUL = {
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
}
CONTEXT = {"user_context": elicit("What context should the prompt use?", "context")}


def signed(state: str) -> str:
    return f"{state}.{hmac.new(STATE_KEY, state.encode(), hashlib.sha256).hexdigest()}"


def opened(given: str | None, wanted: str) -> None:
    """Raises for a state that is not the one this program gave out."""
    if not hmac.compare_digest(given or "", signed(wanted)):
        raise MCPError(rpc.INVALID_PARAMS, "The requestState is not one that this server gave out.")


def required(requests: dict[str, Result], state: str | None = None) -> Result:
    shown = {"requestState": signed(state)} if state else {}
    return {"resultType": "input_required", "inputRequests": requests} | shown


def lacks(given: Result, requests: dict[str, Result]) -> bool:
    return any(not isinstance(given.get(name), dict) or not _answers(given[name], one) for name, one in requests.items())


def _answers(given: Result, request: Result) -> bool:
    """Whether an answer has the form that its request asks for."""
    match request["method"]:
        case "elicitation/create":
            return given.get("action") != "accept" or isinstance(given.get("content"), dict)
        case "roots/list":
            return isinstance(given.get("roots"), list)
        case _:
            return "content" in given


def asking(name: str, given: Result, state: str | None) -> Result:
    """One question, or several at once, and then an answer that shows what came."""
    if name in STATEFUL and state is not None:
        opened(state, name)
    if lacks(given, NEEDS[name]) or (name in STATEFUL and state is None):
        return required(NEEDS[name], name if name in STATEFUL else None)
    if name == "test_input_required_result_elicitation":
        return says(f"Hello, {given['user_name'].get('content', {}).get('name')}!")
    return says(f"state-ok: {json.dumps({key: given[key] for key in NEEDS[name]})}")


def rounds(given: Result, state: str | None) -> Result:
    """Two questions after each other."""
    first = {"step1": elicit("Step 1: What is your name?", "name")}
    second = {"step2": elicit("Step 2: What is your favorite color?", "color")}
    if state is None:
        return required(first, "round-1")
    if hmac.compare_digest(state, signed("round-1")):
        return required(first, "round-1") if lacks(given, first) else required(second, "round-2")
    opened(state, "round-2")
    return required(second, "round-2") if lacks(given, second) else says("Both answers have come.")


def able(capabilities: Result) -> Result:
    """Asks only what the client can answer."""
    wanted = {"sampling": {"greeting": sample("Generate a greeting", 50)}, "elicitation": {"name": elicit("Who?", "name")}}
    found = {key: one for name, requests in wanted.items() if name in capabilities for key, one in requests.items()}
    return required(found) if found else says("There is nothing this client could be asked.")


def sampling_alone(capabilities: Result) -> Result:
    if "sampling" in capabilities:
        return says("The client can sample.")
    raise MCPError(MISSING_CAPABILITY, "This needs sampling.", {"requiredCapabilities": {"sampling": {}}})


ASKING = (
    *NEEDS,
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
    "test_missing_capability",
)


def called(asked: Any, params: types.CallToolRequestParams) -> types.CallToolResult | types.InputRequiredResult | None:
    """The result of a fixture tool; None for a name that is none."""
    name = params.name
    if name in PLAIN:
        return types.CallToolResult.model_validate(PLAIN[name])
    if name not in ASKING:
        return None
    raw = asked.params or {}
    capabilities = (raw.get("_meta") or {}).get(f"{rpc.KEY}clientCapabilities") or {}
    given, state = raw.get("inputResponses") or {}, raw.get("requestState")
    match name:
        case "test_missing_capability":
            found = sampling_alone(capabilities)
        case "test_input_required_result_capabilities":
            found = able(capabilities)
        case "test_input_required_result_multi_round":
            found = rounds(given, state)
        case _:
            found = asking(name, given, state)
    if found.get("resultType") == "input_required":
        return types.InputRequiredResult.model_validate(found)
    return types.CallToolResult.model_validate(found)


# --- prompts and resources ---------------------------------------------------------------------------------------

PROMPTS: dict[str, tuple[tuple[str, ...], Callable[[dict[str, str]], list[Result]]]] = {
    "test_simple_prompt": ((), lambda _: [text("This is a simple prompt for testing.")]),
    "test_prompt_with_arguments": (
        ("arg1", "arg2"),
        lambda given: [text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")],
    ),
    "test_prompt_with_embedded_resource": (
        ("resourceUri",),
        lambda given: [
            embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
    ),
    "test_prompt_with_image": ((), lambda _: [IMAGE, text("Please analyze the image above.")]),
    "test_input_required_result_prompt": ((), lambda _: [text("The context has come.")]),
}
RESOURCES: dict[str, Result] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": png()},
}


def prompted(asked: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult | types.InputRequiredResult | None:
    if params.name not in PROMPTS:
        return None
    if params.name == "test_input_required_result_prompt" and lacks((asked.params or {}).get("inputResponses") or {}, CONTEXT):
        return types.InputRequiredResult.model_validate(required(CONTEXT))
    shown = PROMPTS[params.name][1](params.arguments or {})
    return types.GetPromptResult.model_validate({"messages": [{"role": "user", "content": one} for one in shown]})


def read(asked: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult | None:
    uri = str(params.uri)
    content = RESOURCES.get(uri)
    if found := TEMPLATE.fullmatch(uri):
        told = {"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"}
        content = {"mimeType": "application/json", "text": json.dumps(told)}
    return types.ReadResourceResult.model_validate({"contents": [{"uri": uri} | content]}) if content else None


# --- beside ours --------------------------------------------------------------------------------------------------


def listed() -> dict[str, list[Any]]:
    """What is added to each list, by the name of its field."""
    return {
        "tools": [
            types.Tool(
                name=name,
                description="A tool of the conformance suite.",
                input_schema=SCHEMAS.get(name, {"type": "object"}),
            )
            for name in (*PLAIN, *ASKING)
        ],
        "prompts": [
            types.Prompt(
                name=name,
                description="A prompt of the conformance suite.",
                arguments=[types.PromptArgument(name=one, description="A text.", required=True) for one in wanted],
            )
            for name, (wanted, _) in PROMPTS.items()
        ],
        "resources": [
            types.Resource(uri=uri, name=uri, description="A resource of the conformance suite.", mime_type=one["mimeType"])
            for uri, one in RESOURCES.items()
        ],
        "resource_templates": [
            types.ResourceTemplate(
                uri_template="test://template/{id}/data", name="template", description="A template of the conformance suite."
            )
        ],
    }


def beside(made: Server[Any]) -> Server[Any]:
    """A server of ours with the fixtures after what it has. A name is looked up among the fixtures, then it is ours."""
    added = listed()

    def lists(method: str, name: str) -> None:
        entry = made.get_request_handler(method)
        assert entry is not None, f"{method} is served"

        async def both(asked: Any, params: Any) -> Any:
            found: Any = await entry.handler(asked, params)
            if isinstance(found, dict):  # the list of tools, which our server answers as it is
                return found | {
                    name: [*found[name], *(one.model_dump(by_alias=True, exclude_none=True) for one in added[name])]
                }
            return found.model_copy(update={name: [*getattr(found, name), *added[name]]})

        made.add_request_handler(method, entry.params_type, both)

    def opens(method: str, fixture: Callable[[Any, Any], Any]) -> None:
        entry = made.get_request_handler(method)
        assert entry is not None, f"{method} is served"

        async def either(asked: Any, params: Any) -> Any:
            found = fixture(asked, params)
            return await entry.handler(asked, params) if found is None else found

        made.add_request_handler(method, entry.params_type, either)

    lists("tools/list", "tools")
    lists("prompts/list", "prompts")
    lists("resources/list", "resources")
    lists("resources/templates/list", "resource_templates")
    opens("tools/call", called)
    opens("prompts/get", prompted)
    opens("resources/read", read)
    ours = made.get_tool_input_schema
    made.get_tool_input_schema = lambda name: SCHEMAS.get(name) or (ours(name) if ours else None)
    return made
