"""pydantic's findings in plain words, for a person or a model that has to correct a request. They quote no long values."""

from __future__ import annotations

import difflib
import re
from dataclasses import fields, is_dataclass
from typing import Any, cast, get_args, get_type_hints

from pydantic import ValidationError

from muniment.errors import InvalidInput, LimitExceeded
from muniment.model.fields import wire_name
from muniment.surfaces.catalogue import Operation

FAULTS_SHOWN_MAX = 10
VALUE_SHOWN_MAX = 40
NAME_SHOWN_MAX = 60

# The tags pydantic puts into the place of a fault when a field may be one of several types.
_TAG = re.compile(r"(str|int|float|bool|none|list|dict|tuple|literal|nullable|constrained-\w+|function-\w+|[A-Z]\w*)(\[.*\])?")
_KINDS = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "dataclass_type": "an object",
    "dict_type": "an object",
    "model_attributes_type": "an object",
}
_LIMITS = {"too_long", "string_too_long"}
_NAMES = ("unexpected_keyword_argument", "missing", "missing_argument")
Place = tuple[str | int, ...]


def error(operation: Operation, fault: ValidationError) -> InvalidInput:
    """What a caller is told about a request that cannot be used."""
    kinds = {one["type"] for one in fault.errors(include_url=False, include_input=False)}
    raised = LimitExceeded if kinds <= _LIMITS else InvalidInput
    return raised(told(operation, fault), advice(operation, fault))


def told(operation: Operation, fault: ValidationError) -> str:
    """All faults of a request in one sentence each; the first FAULTS_SHOWN_MAX of them."""
    found: dict[Place, list[Any]] = {}
    for one in fault.errors(include_url=False):
        found.setdefault(_place(operation.request, one), []).append(one)
    places = [place for place in found if not any(_within(other, place) for other in found)]
    said = [_sentence(operation, place, found[place]) for place in places[:FAULTS_SHOWN_MAX]]
    if len(places) > FAULTS_SHOWN_MAX:
        said.append(f"and {len(places) - FAULTS_SHOWN_MAX} more")
    return f"{operation.name} cannot be called like this: {'; '.join(said)}."


def advice(operation: Operation, fault: ValidationError) -> str:
    """What a request of this operation may hold, and what its verb does where one was given."""
    if operation.name == "search":
        return "search takes only a query. To filter or to limit, call recall: it takes query, filter, limit and more."
    names = ", ".join(wire_name(field) for field in fields(operation.request))
    said = f"The fields are: {names}." if names else "Call it without fields."
    for one in fault.errors(include_url=False, include_input=False):
        if (verb := _verb(operation.request, one["loc"])) is not None:
            inner, name = verb
            rest = ", ".join(wire_name(field) for field in fields(inner) if wire_name(field) != _tag_of(inner, name))
            return f"{said} {name} takes {rest or 'nothing else'}."
    return said


def _place(request: type, one: Any) -> Place:
    """Where a fault is, without the tags of unions. A name that a caller sent stays as it is."""
    loc: Place = one["loc"]
    last = loc[-1:] if one["type"] in _NAMES else ()
    shown: list[str | int] = []
    here: Any = request
    tagged: dict[str, Any] = {}
    for part in loc[: len(loc) - len(last)]:
        if part in tagged:
            here, tagged = tagged[str(part)], {}
        elif isinstance(part, int) or not _TAG.fullmatch(part):
            shown.append(part)
            if isinstance(part, str):
                here, tagged = _inside(here, part)
    return (*shown, *last)


def _verb(request: type, loc: Place) -> tuple[Any, str] | None:
    """The member of a tagged union that a fault lies in, and its tag."""
    if len(loc) < 2 or not isinstance(loc[0], str):
        return None
    found = _inside(request, loc[0])[1].get(str(loc[1]))
    return (found, str(loc[1])) if found else None


def _tag_of(member: Any, tag: str) -> str:
    """The field of a union's member that holds its tag."""
    return next(name for name, hint in get_type_hints(member).items() if get_args(hint) == (tag,))


def _inside(here: Any, name: str) -> tuple[Any, dict[str, Any]]:
    """What a field holds: a dataclass, or the members of a tagged union by their tags."""
    if not is_dataclass(here):
        return None, {}
    field = next((one for one in fields(here) if wire_name(one) == name), None)
    if field is None:
        return None, {}
    hint = get_type_hints(here)[field.name]
    tag = field.metadata.get("discriminator")
    if tag is None:
        return _dataclass_in(hint), {}
    return None, {str(get_args(get_type_hints(member)[tag])[0]): member for member in get_args(hint)}


def _within(inner: Place, outer: Place) -> bool:
    """A fault inside a list makes the complaint needless that the list is no text."""
    return len(inner) > len(outer) and inner[: len(outer)] == outer


def _sentence(operation: Operation, place: Place, found: list[Any]) -> str:
    name = _path(place)
    first = found[0]
    kinds = list(dict.fromkeys(_KINDS[one["type"]] for one in found if one["type"] in _KINDS))
    if kinds:
        return f"{name} must be {' or '.join(kinds)}"
    context = first.get("ctx", {})
    match first["type"]:
        case "unexpected_keyword_argument":
            known = _siblings(operation.request, first["loc"])
            return f"there is no field {name}{_meant(str(place[-1]), known)}"
        case "union_tag_invalid":
            choices = re.findall(r"'([^']*)'", context["expected_tags"])
            tag = context["discriminator"].strip("'")
            return f"{name}.{tag} must be one of {', '.join(choices)}{_meant(_short(context['tag']), choices)}"
        case "union_tag_not_found":
            choices = list(_inside(operation.request, str(place[-1]))[1])
            return f"{name}.{context['discriminator'].strip(chr(39))} is missing; it is one of {', '.join(choices)}"
        case "missing" | "missing_argument":
            return f"{name} is missing"
        case "literal_error":
            choices = [choice for one in found for choice in re.findall(r"'([^']*)'", one["ctx"]["expected"])]
            return f"{name} must be one of {', '.join(choices)}{_meant(_short(first['input']), choices)}"
        case "greater_than_equal":
            return f"{name} must be at least {context['ge']:g}"
        case "less_than_equal":
            return f"{name} must be at most {context['le']:g}"
        case "string_too_short" if context["min_length"] == 1:
            return f"{name} must not be empty"
        case "string_too_short":
            return f"{name} must not be shorter than {context['min_length']:,} characters"
        case "string_too_long":
            return f"{name} must not be longer than {context['max_length']:,} characters"
        case "too_long":
            return f"{name} must not hold more than {context['max_length']:,} values"
        case _:
            return f"{name}: {first['msg'][:1].lower()}{first['msg'][1:]}"


def _path(place: Place) -> str:
    """`turns[3].speaker`; names that a caller made up are cut."""
    text = ""
    for part in place:
        text += (
            f"[{part}]"
            if isinstance(part, int)
            else f".{_short(part, NAME_SHOWN_MAX)}"
            if text
            else _short(part, NAME_SHOWN_MAX)
        )
    return text or "the request"


def _short(value: Any, most: int = VALUE_SHOWN_MAX) -> str:
    text = str(value) if isinstance(value, (str, int, float)) else ""
    return text if len(text) <= most else text[: most - 1] + "…"


def _meant(given: str, known: list[str]) -> str:
    close = difflib.get_close_matches(given.lower(), known, n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def _siblings(request: type, loc: Place) -> list[str]:
    """The fields that stand where an unknown one was sent."""
    here: Any = request
    tagged: dict[str, Any] = {}
    for part in loc[:-1]:
        if part in tagged:
            here, tagged = tagged[str(part)], {}
        elif isinstance(part, str) and is_dataclass(here):
            here, tagged = _inside(here, part)
    return [wire_name(field) for field in fields(here)] if is_dataclass(here) else []


def _dataclass_in(hint: Any) -> Any:
    """The dataclass that a type hint holds: `Filter` of `Filter | None`, `TurnIn` of `tuple[TurnIn, ...]`."""
    if isinstance(hint, type) and is_dataclass(hint):
        return hint
    return next((found for part in get_args(hint) if (found := _dataclass_in(cast(Any, part)))), None)
