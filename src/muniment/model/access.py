"""Who acts and what they may do. Authority comes from the token, never from the request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

Scope = Literal["read", "propose", "append", "write", "curate", "govern", "share", "admin"]
Level = Literal["viewer", "agent", "operator", "curator", "owner", "admin"]

# From the widest to the narrowest: a zone by how far its words are believed, a write mode by what is done at once.
Zone = Literal["trusted", "shared", "untrusted"]
# From what everybody may see to what few may.
DataClass = Literal["public", "internal", "confidential", "restricted"]
Isolation = Literal["none", "weak", "strict"]
# direct: what is asked for is done. add_only: new things are kept, a change of what there is becomes a proposal. propose: new
# memories do too.
WriteMode = Literal["direct", "add_only", "propose"]
PrincipalKind = Literal["person", "agent", "service"]
# How a caller came in: at the command line, logged in to the web pages, over stdio, or with a token.
Door = Literal["cli", "web", "stdio", "bearer"]

# Behind these doors stands a person, whoever's authority it is; behind the others a program speaks.
PERSONAL: frozenset[Door] = frozenset({"cli", "web"})

# The principal of this machine: whoever holds the store's file, at the command line or over stdio.
LOCAL = "local"

# The ring of servers whose tokens each have a name of their own.
PROD = "prod"

LEVELS: tuple[Level, ...] = get_args(Level)
ZONES: tuple[Zone, ...] = get_args(Zone)
MODES: tuple[WriteMode, ...] = get_args(WriteMode)
CLASSES: tuple[DataClass, ...] = get_args(DataClass)
DATA_CLASSES: frozenset[DataClass] = frozenset(CLASSES)

LEVEL_SCOPES: dict[str, frozenset[str]] = {
    "viewer": frozenset({"read"}),
    "agent": frozenset({"read", "propose", "append"}),
    "operator": frozenset({"read", "propose", "append", "write"}),
    "curator": frozenset({"read", "propose", "curate"}),
    "owner": frozenset({"read", "propose", "append", "write", "curate", "govern", "share"}),
    "admin": frozenset({"read", "propose", "append", "write", "curate", "govern", "share", "admin"}),
}


def level_of(scopes: Iterable[str]) -> Level | None:
    """The level that has exactly these scopes."""
    held = frozenset(scopes)
    return next((level for level in LEVELS if LEVEL_SCOPES[level] == held), None)


# What is left of the scopes of who may not change things directly: it decides nothing, and manages nothing.
INDIRECT: frozenset[str] = frozenset({"read", "propose", "append"})

# What a level sees where nothing else was said.
LEVEL_CLASSES: dict[str, frozenset[DataClass]] = {
    level: DATA_CLASSES if level in ("owner", "admin") else frozenset({"public", "internal"}) for level in LEVEL_SCOPES
}


@dataclass(frozen=True, slots=True)
class Grant:
    """What one caller may do: scopes, workspace slugs it may read and write (None: all), data classes it may see.

    Its scopes are never more than its write mode leaves of them, whoever made it: so lists, calls and every check that asks for
    a scope hold to the mode without asking for it.
    """

    principal: int
    principal_name: str
    scopes: frozenset[str]
    read: frozenset[str] | None = None
    write: frozenset[str] | None = None
    default_workspace: str | None = None
    client: str | None = None
    token: int | None = None
    zone: Zone = "trusted"
    classes: frozenset[DataClass] = DATA_CLASSES
    write_mode: WriteMode = "direct"
    oauth: int | None = None  # the number of the OAuth grant that its token came from
    foreign_until: int | None = None  # its token is one of the configured issuer: when that ends, in Unix milliseconds

    def __post_init__(self) -> None:
        if self.write_mode != "direct" and not self.scopes <= INDIRECT:
            adds = self.scopes & {"append", "write"}
            object.__setattr__(self, "scopes", self.scopes & INDIRECT | ({"append"} if adds else frozenset()))


@dataclass(frozen=True, slots=True)
class Workspace:
    """A wall: each record belongs to exactly one. `root` is the folder of a project found from git."""

    id: int
    uid: str
    slug: str
    name: str
    kind: str
    state: str
    root: str | None = None
    data_class: DataClass = "internal"
    isolation: Isolation = "none"
    admits_similar: bool = False
