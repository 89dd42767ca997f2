"""Managing who may do what: what `tokens` takes and gives. A secret is shown once, when it is made, and is never asked for.

`read` and `write` name workspaces; "*" stands for every workspace there is and will be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from muniment.model.access import DataClass, Level, WriteMode, Zone
from muniment.model.fields import REQUIRED, STRICT, arg
from muniment.model.recalling import Meta

EVERY = "*"
WALLS_MAX = 1000
# How many events one page of a history has: where nothing is said, and at most.
HISTORY_PAGE = 50
HISTORY_MAX = 500
SEQ_MAX = 2**53 - 1
READ = "Workspaces it may read. Default: as you."
WRITE = "Workspaces it may write. Default: as read."
CLASSES = "Data classes it sees. Default: by level."

Walls = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListTokens:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["list"] = arg(REQUIRED, "list")
    all: bool = arg(False, "Ended ones too.")


@dataclass(frozen=True, slots=True)
class CreateToken:
    """Make a token; it is shown once. It never may more than you."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["create"] = arg(REQUIRED, "create")
    name: str = arg(REQUIRED, "Whom or what it is for.", min_length=1, max_length=200)
    level: Level = arg("agent", "What it may do.")
    principal: str | None = arg(None, "Whom it acts as. Default: its name.", max_length=200)
    read: Walls | None = arg(None, READ, max_length=WALLS_MAX)
    write: Walls | None = arg(None, WRITE, max_length=WALLS_MAX)
    default_workspace: str | None = arg(None, "Its current workspace.", max_length=200)
    data_classes: tuple[DataClass, ...] | None = arg(None, CLASSES, max_length=4)
    zone: Zone | None = arg(None, "How far it is believed. Default: as you.")
    write_mode: WriteMode = arg("direct", "Whether its changes wait.")
    expires: str | None = arg(None, "When it ends, such as 30d or 12h.", max_length=20)


@dataclass(frozen=True, slots=True)
class RevokeToken:
    """End a token at once."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["revoke"] = arg(REQUIRED, "revoke")
    token: str = arg(REQUIRED, "A token's ref (k_…).", max_length=100)


@dataclass(frozen=True, slots=True)
class RotateToken:
    """Give a token another secret; the one before ends at once."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["rotate"] = arg(REQUIRED, "rotate")
    token: str = arg(REQUIRED, "A token's ref (k_…).", max_length=100)


@dataclass(frozen=True, slots=True)
class ListGrants:
    """What people granted clients by OAuth."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["grants"] = arg(REQUIRED, "grants")
    all: bool = arg(False, "Ended ones too.")


@dataclass(frozen=True, slots=True)
class RevokeGrant:
    """End a grant with all of its tokens at once."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["revoke_grant"] = arg(REQUIRED, "revoke_grant")
    grant: str = arg(REQUIRED, "A grant's ref (o_…).", max_length=100)


@dataclass(frozen=True, slots=True)
class ListProfiles:
    """Who may log in."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["profiles"] = arg(REQUIRED, "profiles")
    all: bool = arg(False, "Ended ones too.")


@dataclass(frozen=True, slots=True)
class SetProfile:
    """Make or change a profile; what is left out stays. Its tokens and grants shrink with it at once."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["set_profile"] = arg(REQUIRED, "set_profile")
    name: str = arg(REQUIRED, "The name to log in with.", min_length=1, max_length=200)
    level: Level | None = arg(None, "What it may do at most.")
    read: Walls | None = arg(None, READ, max_length=WALLS_MAX)
    write: Walls | None = arg(None, WRITE, max_length=WALLS_MAX)
    data_classes: tuple[DataClass, ...] | None = arg(None, CLASSES, max_length=4)
    zone: Zone | None = arg(None, "How far it is believed.")
    write_mode: WriteMode | None = arg(None, "Whether its changes wait.")
    secret_hash: str | None = arg(
        None, "The hash that `muniment profile add NAME --print` shows; never the passphrase.", max_length=1000
    )
    subject: str | None = arg(None, "Whom auth=external's tokens call it; empty: nobody.", max_length=255)


@dataclass(frozen=True, slots=True)
class EndProfile:
    """End a profile with its tokens, grants and logins at once."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["end_profile"] = arg(REQUIRED, "end_profile")
    name: str = arg(REQUIRED, "The profile.", min_length=1, max_length=200)


@dataclass(frozen=True, slots=True)
class ListHistory:
    """Who made, changed and ended tokens, grants, profiles and clients, newest first."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["history"] = arg(REQUIRED, "history")
    principal: str | None = arg(None, "Who did it, or whose it was.", max_length=200)
    since: str | None = arg(None, "Not before this date or time.", max_length=100)
    before: int | None = arg(None, "Only those with a smaller number (`more` of the answer).", ge=1, le=SEQ_MAX)
    limit: int = arg(HISTORY_PAGE, "How many.", ge=1, le=HISTORY_MAX)


Managed = (
    ListTokens
    | CreateToken
    | RevokeToken
    | RotateToken
    | ListGrants
    | RevokeGrant
    | ListProfiles
    | SetProfile
    | EndProfile
    | ListHistory
)
# The verbs that change nothing, and so are there where nothing may be changed.
READING = ("list", "grants", "profiles", "history")


@dataclass(frozen=True, slots=True)
class TokensRequest:
    """Manage tokens, OAuth grants and profiles of your own workspaces."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    do: Managed = arg(REQUIRED, "What to do.", discriminator="verb")


@dataclass(frozen=True, slots=True)
class TokenSeen:
    """A token without its secret. Times are ISO 8601; `used_at` is exact to a minute."""

    ref: str
    name: str
    principal: str
    scopes: tuple[str, ...]
    read: str | Walls
    write: str | Walls
    data_classes: tuple[str, ...]
    zone: str
    write_mode: str
    valid: bool
    created_at: str
    default_workspace: str | None = None
    expires_at: str | None = None
    used_at: str | None = None


@dataclass(frozen=True, slots=True)
class GrantSeen:
    """What a person granted a client."""

    ref: str
    client: str
    client_id: str
    principal: str
    scopes: tuple[str, ...]
    read: str | Walls
    write: str | Walls
    data_classes: tuple[str, ...]
    valid: bool
    created_at: str
    default_workspace: str | None = None
    used_at: str | None = None


@dataclass(frozen=True, slots=True)
class ProfileSeen:
    """Who may log in: with a `passphrase`, or as the `subject` of the configured issuer. `configured`: by the settings of the
    server, which alone change it.
    """

    name: str
    level: str
    read: str | Walls
    write: str | Walls
    data_classes: tuple[str, ...]
    zone: str
    write_mode: str
    configured: bool
    valid: bool
    created_at: str
    passphrase: bool = True
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Allowed:
    """What somebody was given."""

    scopes: tuple[str, ...]
    read: str | Walls
    write: str | Walls
    data_classes: tuple[str, ...]
    zone: str
    write_mode: str


@dataclass(frozen=True, slots=True)
class EventSeen:
    """One row of the access log: `by` did it at a `door`, `via` a token or grant; `principal` is whose authority it is, and
    `target` the token, grant or client. `before` is what a profile was allowed before. Never a secret."""

    number: int
    at: str
    kind: str
    door: str
    by: str | None = None
    via: str | None = None
    principal: str | None = None
    target: str | None = None
    name: str | None = None
    level: str | None = None
    given: Allowed | None = None
    before: Allowed | None = None
    expires_at: str | None = None
    why: str | None = None
    client_id: str | None = None
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokensAnswer:
    """`token` is the secret of a token that was made or rotated: it is shown here and never again. `more`: pass it as `before`
    for what came before these events."""

    verb: str
    token: str | None = None
    tokens: tuple[TokenSeen, ...] = ()
    grants: tuple[GrantSeen, ...] = ()
    profiles: tuple[ProfileSeen, ...] = ()
    events: tuple[EventSeen, ...] = ()
    more: int | None = None
    meta: Meta = field(default_factory=Meta)
