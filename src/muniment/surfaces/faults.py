"""pydantic's findings in plain words, for a person or a model that has to correct a request. They quote no long values."""

from __future__ import annotations

import difflib
import re
from dataclasses import fields, is_dataclass
from typing import Any, cast, get_args, get_type_hints

from pydantic import ValidationError

from muniment.errors import InvalidInput, LimitExceeded
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
}
_LIMITS = {"too_long", "string_too_long"}
_NAMES = ("unexpected_keyword_argument", "missing", "missing_argument")
Place = tuple[str | int, ...]


def error(operation: Operation, fault: ValidationError) -> InvalidInput:
    """What a caller is told about a request that cannot be used."""
    kinds = {one["type"] for one in fault.errors(include_url=False, include_input=False)}
    raised = LimitExceeded if kinds <= _LIMITS else InvalidInput
    return raised(told(operation, fault), advice(operation))


def told(operation: Operation, fault: ValidationError) -> str:
    """All faults of a request in one sentence each; the first FAULTS_SHOWN_MAX of them."""
    found: dict[Place, list[Any]] = {}
    for one in fault.errors(include_url=False):
        found.setdefault(_place(one), []).append(one)
    places = [place for place in found if not any(_within(other, place) for other in found)]
    said = [_sentence(operation, place, found[place]) for place in places[:FAULTS_SHOWN_MAX]]
    if len(places) > FAULTS_SHOWN_MAX:
        said.append(f"and {len(places) - FAULTS_SHOWN_MAX} more")
    return f"{operation.name} cannot be called like this: {'; '.join(said)}."


def advice(operation: Operation) -> str:
    """What a request of this operation may hold."""
    if operation.name == "search":
        return "search takes only a query. To filter or to limit, call recall: it takes query, filter, limit and more."
    names = ", ".join(field.name for field in fields(operation.request))
    return f"The fields are: {names}." if names else "Call it without fields."


def _place(one: Any) -> Place:
    """Where a fault is, without the tags of unions. A name that a caller sent stays as it is."""
    loc: Place = one["loc"]
    last = loc[-1:] if one["type"] in _NAMES else ()
    head = loc[: len(loc) - len(last)]
    return (*(part for part in head if isinstance(part, int) or not _TAG.fullmatch(part)), *last)


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
            return f"there is no field {name}{_meant(str(place[-1]), _siblings(operation.request, place))}"
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


def _siblings(request: type, place: Place) -> list[str]:
    """The fields that stand where an unknown one was sent."""
    here: Any = request
    for part in place[:-1]:
        if isinstance(part, str) and is_dataclass(here):
            here = _dataclass_in(get_type_hints(here).get(part))
    return [field.name for field in fields(here)] if is_dataclass(here) else []


def _dataclass_in(hint: Any) -> Any:
    """The dataclass that a type hint holds: `Filter` of `Filter | None`, `TurnIn` of `tuple[TurnIn, ...]`."""
    if isinstance(hint, type) and is_dataclass(hint):
        return hint
    return next((found for part in get_args(hint) if (found := _dataclass_in(cast(Any, part)))), None)
