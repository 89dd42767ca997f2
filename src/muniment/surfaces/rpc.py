"""What MCP asks of a server, in both of its eras, without a transport: a message comes in, a response goes out.

The era is told from each request: the reserved `_meta` key names the stateless core (2026-07-28), all else is the
handshake's (2024-11-05 to 2025-11-25). Nothing but the standard library is imported here.
"""

from __future__ import annotations

from typing import Any, Protocol

import muniment
from muniment.surfaces import frames
from muniment.surfaces.tools import shipped

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = ("2026-07-28",)
# Revisions in which one frame may hold a list of messages.
BATCHING = ("2024-11-05", "2025-03-26")
BATCH_MAX = 100

NAME, TITLE = "muniment", "Muniment"
KEY = "io.modelcontextprotocol/"
# How long a client may keep a list: it only changes when the server starts with other settings.
LIST_TTL_MS = 300_000

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
RESOURCE_NOT_FOUND_HANDSHAKE = -32002
UNSUPPORTED_VERSION = -32022
METHOD_SHOWN_MAX = 100
NO_RESOURCE, NO_PROMPT = "There is no such resource.", "There is no such prompt."

Message = dict[str, Any]

CAPABILITIES: Message = {
    "prompts": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "tools": {"listChanged": False},
}
LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
CACHED = (*LISTS, "server/discover", "resources/read")
HANDSHAKE_ONLY = ("initialize", "ping")
STATELESS_ONLY = ("server/discover",)


class Refused(Exception):
    """A request that gets a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.error: Message = {"code": code, "message": message} | ({} if data is None else {"data": data})


class Host(Protocol):
    """What one client may see and do. A prompt or a resource that is not there for it is None."""

    def listing(self, method: str) -> list[Message]:
        """What a method of LISTS answers."""
        ...

    def call(self, name: str, arguments: Message) -> Message:
        """Run a tool and answer its result, an error too."""
        ...

    def prompt(self, name: Any, arguments: Any) -> Message | None:
        """Raises ValueError for arguments that the prompt does not take."""
        ...

    def resource(self, uri: Any) -> Message | None: ...


class Peer:
    """One client."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.client: str | None = None
        self.version: str | None = None

    def respond(self, message: Any) -> Message | None:
        """The response to one message; None for a notification, or for a response of the client's."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return failed(None, INVALID_REQUEST, "This is no JSON-RPC 2.0 message.")
        number = message.get("id")
        if "method" not in message and ("result" in message or "error" in message):
            return None
        if "id" in message and (isinstance(number, bool) or not isinstance(number, (str, int))):
            return failed(None, INVALID_REQUEST, "The id of a request is a text or a whole number.")
        method, params = message.get("method"), message.get("params", {})
        if not isinstance(method, str):
            return failed(number, INVALID_REQUEST, "The method is missing.")
        if "id" not in message:
            return None
        try:
            if not isinstance(params, dict):
                raise Refused(INVALID_PARAMS, "params must be an object.")
            return {"jsonrpc": "2.0", "id": number, "result": self._result(method, params)}
        except Refused as refused:
            return {"jsonrpc": "2.0", "id": number, "error": refused.error}

    def _result(self, method: str, params: Message) -> Message:
        meta = params.get("_meta")
        stateless = isinstance(meta, dict) and KEY + "protocolVersion" in meta
        if isinstance(meta, dict) and stateless:
            self._envelope(meta)
        if method in (HANDSHAKE_ONLY if stateless else STATELESS_ONLY):
            raise _unknown_method(method)
        result = self._answer(method, params, stateless)
        if not stateless:
            return result
        if method in CACHED:
            result = result | {"ttlMs": LIST_TTL_MS, "cacheScope": "private"}
        return result | {"resultType": "complete", "_meta": {KEY + "serverInfo": server_info()}}

    def _answer(self, method: str, params: Message, stateless: bool) -> Message:
        if method in LISTS:
            if params.get("cursor") is not None:
                raise Refused(INVALID_PARAMS, "There is no such page: every list here is one page.")
            return {LISTS[method]: self.host.listing(method)}
        match method:
            case "initialize":
                return self._initialize(params)
            case "ping":
                return {}
            case "server/discover":
                return {
                    "supportedVersions": list(STATELESS),
                    "capabilities": CAPABILITIES,
                    "instructions": shipped().instructions,
                }
            case "tools/call":
                return self._call(params)
            case "resources/read":
                return self._resource(params, stateless)
            case "prompts/get":
                return self._prompt(params)
            case _:
                raise _unknown_method(method)

    def _envelope(self, meta: Message) -> None:
        """The checks a request of the stateless core has to pass."""
        if KEY + "clientCapabilities" not in meta:
            raise Refused(INVALID_PARAMS, f"_meta lacks {KEY}clientCapabilities.")
        version = meta[KEY + "protocolVersion"]
        if not isinstance(version, str):
            raise Refused(INVALID_PARAMS, f"{KEY}protocolVersion must be a text.")
        if version not in STATELESS:
            raise Refused(
                UNSUPPORTED_VERSION, "Unsupported protocol version", {"supported": list(STATELESS), "requested": version}
            )
        self._introduce(meta.get(KEY + "clientInfo"))

    def _initialize(self, params: Message) -> Message:
        version = params.get("protocolVersion")
        if not isinstance(version, str):
            raise Refused(INVALID_PARAMS, "protocolVersion is missing.")
        self._introduce(params.get("clientInfo"))
        self.version = version if version in HANDSHAKE else HANDSHAKE[-1]
        return {
            "protocolVersion": self.version,
            "capabilities": CAPABILITIES,
            "serverInfo": server_info(),
            "instructions": shipped().instructions,
        }

    def _introduce(self, info: Any) -> None:
        name = info.get("name") if isinstance(info, dict) else None
        if isinstance(name, str) and name:
            self.client = name[:METHOD_SHOWN_MAX]

    def _call(self, params: Message) -> Message:
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            raise Refused(INVALID_PARAMS, "The name of the tool is missing.")
        if shipped().named(name) is None:
            raise Refused(INVALID_PARAMS, f"There is no tool {name[:METHOD_SHOWN_MAX]!r}.")
        if arguments is not None and not isinstance(arguments, dict):
            raise Refused(INVALID_PARAMS, "arguments must be an object.")
        return self.host.call(name, arguments or {})

    def _resource(self, params: Message, stateless: bool) -> Message:
        uri = params.get("uri")
        found = self.host.resource(uri)
        if found is None:
            data = {"uri": uri} if isinstance(uri, str) else None
            raise Refused(INVALID_PARAMS if stateless else RESOURCE_NOT_FOUND_HANDSHAKE, NO_RESOURCE, data)
        return found

    def _prompt(self, params: Message) -> Message:
        try:
            found = self.host.prompt(params.get("name"), params.get("arguments"))
        except ValueError as fault:
            raise Refused(INVALID_PARAMS, str(fault)) from fault
        if found is None:
            raise Refused(INVALID_PARAMS, NO_PROMPT)
        return found


def tool_result(found: Message, *, failed: bool) -> Message:
    """A tool's answer as MCP carries it: the object, and the same object as one text."""
    return {"content": [{"type": "text", "text": frames.text(found)}], "structuredContent": found, "isError": failed}


def failed(number: Any, code: int, message: str) -> Message:
    """An error response. The id is null where the request's could not be read."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def server_info() -> Message:
    return {"name": NAME, "title": TITLE, "version": muniment.__version__}


def _unknown_method(method: str) -> Refused:
    return Refused(METHOD_NOT_FOUND, f"There is no method {method[:METHOD_SHOWN_MAX]!r}.")
