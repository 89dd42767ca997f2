"""Principals: who acts. One is made with its first token or profile, and its name is never given to another.

No principal is taken for the owner of this machine unless that was asked for.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable

from muniment.errors import InvalidInput
from muniment.model import ids
from muniment.model.access import LOCAL, PrincipalKind
from muniment.store.connections import Connection
from muniment.text import plain

NAME_LENGTH_MAX = 200
PERSONS = frozenset({"owner", "admin"})
# Names that stand where a principal's may: of what decides without one, and of who was forgotten.
RESERVED = ("rule:", "model:", "forgotten-")


def named(name: str) -> str:
    """A name as it is kept. Raises InvalidInput for one that nobody may take."""
    name = spelled(name)
    if not name or len(name) > NAME_LENGTH_MAX:
        raise InvalidInput(f"The name of a principal has 1 to {NAME_LENGTH_MAX} characters.", "Choose another name.")
    if name != LOCAL and (key(name) == LOCAL or key(name).startswith(RESERVED)):
        raise InvalidInput(f"No principal may be called {name!r}.", "Choose another name.")
    return name


def spelled(name: str) -> str:
    """A name in the one spelling that is kept: a keyboard may compose its letters or not."""
    return unicodedata.normalize("NFC", " ".join(plain.clean(name).split()))


def key(name: str) -> str:
    """The form in which all spellings of a name meet that a reader could not tell apart: case, width, composed or not."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def kind_of(level: str) -> PrincipalKind:
    """What a principal is taken for whose first token has this level."""
    return "person" if level in PERSONS else "agent"


def made(
    connection: Connection,
    name: str,
    level: str,
    now: int,
    *,
    kind: PrincipalKind | None = None,
    entropy: Callable[[int], bytes] = os.urandom,
) -> int:
    """The number of a principal, which is made when there is none of that name.

    Raises InvalidInput for a name that is another spelling of one that is taken.
    """
    known = number(connection, name)
    if known is not None:
        return known
    for (held,) in connection.all("principal_names"):
        if key(held) == key(name):
            raise InvalidInput(
                f"{name!r} is another spelling of {held!r}, which is taken.", "Use that one, or choose another name."
            )
    values = {"uid": ids.uid(now, entropy(10)), "name": name, "kind": kind or kind_of(level), "level": level, "now": now}
    connection.run("principal_add", values)
    found = number(connection, name)
    assert found is not None, "it was made a moment ago"
    return found


def number(connection: Connection, name: str) -> int | None:
    """The number of the principal of that name; None where there is none."""
    row = connection.one("principal_by_name", {"name": name})
    return int(row[0]) if row else None
