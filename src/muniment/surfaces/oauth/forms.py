"""Parameters of queries and forms, read strictly: what comes twice is no answer to the question which one counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.requests import Request

from muniment.surfaces.replies import media_type

FIELDS_MAX = 400
FORM = "application/x-www-form-urlencoded"
# These may come more than once: RFC 8707, and the boxes of our own pages.
LISTS = frozenset({"resource", "scopes", "workspaces"})


@dataclass(frozen=True, slots=True)
class Form:
    """`values` holds what came once, without what was empty (RFC 6749, 3.1), and what no parameter can hold: NUL.

    `faulty` says that it cannot be read.
    """

    values: dict[str, str]
    lists: dict[str, tuple[str, ...]]
    faulty: bool = False

    def get(self, name: str) -> str:
        return self.values.get(name, "")

    def each(self, name: str) -> tuple[str, ...]:
        return self.lists.get(name, ())


def of_query(request: Request) -> Form:
    return parsed(request.url.query)


async def of_body(request: Request) -> Form:
    """The form in a body; faulty when it is not declared as one."""
    if media_type(request) != FORM:
        return Form({}, {}, faulty=True)
    return parsed((await request.body()).decode("latin-1"))


def parsed(text: str) -> Form:
    try:
        pairs: Sequence[tuple[str, str]] = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=FIELDS_MAX)
    except ValueError:  # too many, or no UTF-8
        return Form({}, {}, faulty=True)
    values: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    faulty = False
    for name, value in pairs:
        if "\0" in value:
            faulty = True  # a database may not be asked for it
            continue
        if not value:
            continue
        if name in LISTS:
            lists.setdefault(name, []).append(value)
        elif name in values:
            faulty = True
        else:
            values[name] = value
    return Form(values, {name: tuple(held) for name, held in lists.items()}, faulty)
