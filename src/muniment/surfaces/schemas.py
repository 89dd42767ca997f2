"""JSON Schema 2020-12 of requests and answers, made small: a tool list is read by a model at every start.

A small schema leaves out that null may stand for an absent field, what nobody would get wrong (a count below nought, a switch
that is off by default), how long a text or a list may be, which of a union's members a verb picks, and, below the root, that
there are no other fields: such limits are far off, and the error names them.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from muniment.surfaces.wire import adapted

Schema = dict[str, Any]
# So few words ("Its title.") only repeat a field's name and its choices.
WORDS_NEEDLESS_MAX = 5
# A number above this is sent by nobody who has not read the error of the last one.
LIMIT_FAR = 100


def request_schema(kind: type) -> Schema:
    """The schema of a request: an object that refuses fields it does not name."""
    schema = _compact(adapted(kind).json_schema())
    schema.pop("description", None)
    return {"type": "object", "properties": {}} | schema | {"additionalProperties": False}


def query_schema(kind: type) -> Schema:
    """The schema of a request with all its limits, in one piece and without null, which no query string can say."""
    schema = adapted(kind).json_schema()
    parts = schema.pop("$defs", {})
    return dict(_without_null(_without_titles(_inlined(schema, parts))))


def answer_schema(kind: type) -> Schema:
    """The schema of an answer as `wire.plain` writes it: what may be None may be absent."""
    return tidied(_compact(adapted(kind).json_schema(mode="serialization")), answer=True)


def tidied(schema: Schema, *, answer: bool) -> Schema:
    """A schema with all its limits, without titles. A request may say null for an absent field, an answer never does."""
    tidy: Schema = _without_titles(schema)
    if answer:
        _relax(tidy)
        return dict(_small(tidy))
    return tidy


def _compact(schema: Schema) -> Schema:
    """A schema on its own: a part that is used once stands where it is used."""
    parts = {name: _small(part) for name, part in schema.pop("$defs", {}).items()}
    small = _small(schema)
    uses = Counter(_references(small))
    for part in parts.values():
        uses.update(_references(part))
    whole: Schema = _inlined(small, {name: part for name, part in parts.items() if uses[f"#/$defs/{name}"] == 1})
    kept = {name: _inlined(part, parts) for name, part in parts.items() if uses[f"#/$defs/{name}"] > 1}
    return whole | ({"$defs": kept} if kept else {})


def _small(node: Any) -> Any:
    """Without titles, lengths and null, and with one list of choices where pydantic nests several."""
    if isinstance(node, list):
        return [_small(part) for part in node]
    if not isinstance(node, dict):
        return node
    small = {
        name: {key: _small(part) for key, part in value.items()} if name in ("properties", "$defs") else _small(value)
        for name, value in node.items()
        if not _needless(name, value, node)
    }
    return _chosen(small)


def _chosen(node: Schema) -> Schema:
    """A choice without null, and one list of values where every choice is one."""
    if "anyOf" not in node:
        return node
    rest = {name: part for name, part in node.items() if name != "anyOf"}
    choices = [choice for choice in node["anyOf"] if choice != {"type": "null"}]
    if all("enum" in choice and choice.get("type") == "string" for choice in choices):
        choices = [{"type": "string", "enum": [value for choice in choices for value in choice["enum"]]}]
    return (choices[0] | rest) if len(choices) == 1 else {"anyOf": choices} | rest


def _without_null(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_null(part) for part in node]
    if not isinstance(node, dict):
        return node
    rest = {name: _without_null(part) for name, part in node.items() if not (name == "default" and part is None)}
    return _chosen(rest)


def _needless(name: str, value: Any, node: Schema) -> bool:
    match name:
        case "title" | "maxLength":
            return True
        case "additionalProperties":
            return value is False
        case "discriminator":
            return isinstance(value, dict) and "propertyName" in value
        case "type":
            return "const" in node
        case "maximum":
            return bool(value > LIMIT_FAR)
        case "maxItems":
            return "prefixItems" not in node
        case "minimum" | "minLength":
            return bool(value <= LIMIT_FAR)
        case "description":
            return isinstance(value, str) and len(value.split()) <= WORDS_NEEDLESS_MAX and ";" not in value
        case "default":
            return value in (None, False, 0, "", [])
        case _:
            return False


def _without_titles(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_titles(part) for part in node]
    if not isinstance(node, dict):
        return node
    return {
        name: {key: _without_titles(part) for key, part in value.items()} if name == "properties" else _without_titles(value)
        for name, value in node.items()
        if name != "title" or not isinstance(value, str)
    }


def _relax(schema: Schema) -> None:
    """What may be null is not required: `wire.plain` leaves it out."""
    fields = schema.get("properties", {})
    needed = [name for name in schema.get("required", ()) if {"type": "null"} not in fields[name].get("anyOf", ())]
    if needed:
        schema["required"] = needed
    else:
        schema.pop("required", None)


def _references(node: Any) -> list[str]:
    if isinstance(node, list):
        return [found for part in node for found in _references(part)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"]] if "$ref" in node else []
    return own + [found for part in node.values() for found in _references(part)]


def _inlined(node: Any, parts: dict[str, Schema]) -> Any:
    """Parts that are used once stand where they are used; the words of the place win over those of the part."""
    if isinstance(node, list):
        return [_inlined(part, parts) for part in node]
    if not isinstance(node, dict):
        return node
    name = node.get("$ref", "").removeprefix("#/$defs/")
    if name in parts:
        return _inlined(parts[name], parts) | {key: part for key, part in node.items() if key != "$ref"}
    return {key: _inlined(part, parts) for key, part in node.items()}
