"""Rings: how much a server asks of how it is set up before it starts. What a token may do is the same in each of them.

alpha is for trying out, and the only one that takes one shared token from the settings; beta keeps what it is told; prod is for
several people who must not see each other.
"""

from __future__ import annotations

import hmac
import tempfile
from dataclasses import dataclass
from pathlib import Path

from muniment.access import principals, tokens
from muniment.app import SERVER_ADDRESS, App, where
from muniment.errors import InvalidInput
from muniment.model.access import LEVEL_CLASSES, LEVEL_SCOPES, PROD, Grant
from muniment.settings import Settings
from muniment.store.connections import Connection

ALPHA = "alpha"
STATIC_LENGTH_MIN = 32
STATIC_NAME = "shared token"
MEMORY = (":memory:", "file::memory:")
VOLATILE = ("/dev/shm", "/run/shm")
NAMED_MAX = 5
# Stands for the bearers of the shared token in a store that is only read and has no principal for them.
NOBODY = 0


@dataclass(frozen=True, slots=True)
class Shared:
    """The one token that the settings may hold, and what its bearers may do."""

    secret: str
    grant: Grant

    def opens(self, given: str) -> bool:
        """Whether this is the token; how long it takes says nothing about it."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.secret.encode("utf-8", "replace"))


def check(app: App, settings: Settings) -> None:
    """Raise InvalidInput with everything that a server of this ring refuses to start with, and what to do about each."""
    faults = [*_of_the_token(settings), *_of_the_store(settings)]
    if settings.ring == PROD:
        if not settings.base_url.startswith("https://"):
            faults.append("prod is reached over https: set base_url to the public https address")
        with app.store.read() as connection:
            faults += _of_the_labels(connection, app.context().now())
    if faults:
        said = f"The server does not start in the ring {settings.ring}: {'; '.join(faults)}."
        looser = "" if settings.ring == ALPHA else ", or try things out with ring=alpha"
        raise InvalidInput(said, f"Put it right and start again{looser}.")


def shared(app: App) -> Shared | None:
    """The shared token of the settings, in the one ring that takes one."""
    settings = app.settings
    if settings.ring != ALPHA or len(settings.static_token) < STATIC_LENGTH_MIN:
        return None
    level = settings.static_token_level
    with app.store.read() as connection:
        number = principals.number(connection, STATIC_NAME)
    if number is None and not settings.read_only:
        with app.store.write() as connection:
            number = principals.made(connection, STATIC_NAME, level, app.context().now(), kind="service")
    # Nobody knows who holds it: it is believed as far as something that many can say.
    grant = Grant(number or NOBODY, STATIC_NAME, LEVEL_SCOPES[level], classes=LEVEL_CLASSES[level], zone="shared")
    return Shared(settings.static_token, grant)


def _of_the_token(settings: Settings) -> list[str]:
    if not settings.static_token:
        return []
    if settings.ring != ALPHA:
        return ["it takes no static_token: unset it, and make a token for each caller with `muniment token add NAME`"]
    if len(settings.static_token) < STATIC_LENGTH_MIN:
        return [f"static_token has fewer than {STATIC_LENGTH_MIN} characters: make one with `openssl rand -base64 48`"]
    return []


def _of_the_store(settings: Settings) -> list[str]:
    address = where(settings)
    if settings.ring == ALPHA or address.startswith(SERVER_ADDRESS):
        return []
    if settings.ring == PROD:
        return ["prod keeps its store in PostgreSQL, behind row-level security: set store to a postgresql:// address"]
    path = Path(address).expanduser().resolve()
    lost = [Path(place).resolve() for place in (tempfile.gettempdir(), *VOLATILE)]
    if address in MEMORY or any(path.is_relative_to(place) for place in lost):
        return [f"{address} does not last: set store to a file that is kept, or to a postgresql:// address"]
    return []


def _of_the_labels(connection: Connection, now: int) -> list[str]:
    """Tokens that one could not tell apart in a log or a ledger."""
    labels = [one.label for one in tokens.listing(connection) if one.valid(now)]
    twice = sorted({label for label in labels if labels.count(label) > 1 or not label.strip()})
    if not twice:
        return []
    named = ", ".join(repr(label) for label in twice[:NAMED_MAX])
    return [f"in prod each token has a label of its own, and several are called {named}: revoke all but one of each"]
