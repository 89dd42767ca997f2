"""How often something may be tried: logins that fail, by name and by address, over all doors together; registrations.

A login that fails costs patience: a few are free, then each one doubles the wait. Nobody's running session is touched by it.
"""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass, replace

from muniment.access import events, principals, profiles
from muniment.access.events import LOGIN, Subject
from muniment.model.times import MINUTE_MS, SECOND_MS
from muniment.store.connections import Connection, Store

# A row that was not touched for so long begins anew.
FORGOTTEN_MS = 60 * MINUTE_MS
WAIT_MS_MAX = 15 * MINUTE_MS
FREE_OF_NAME = 5
# Behind one address there may be an office, or a proxy that all callers come through.
FREE_OF_ADDRESS = 20
DOUBLINGS_MAX = 20


@dataclass(frozen=True, slots=True)
class _Row:
    key: str
    failures: int
    first_at: int
    last_at: int
    told_at: int | None = None


def reserve(store: Store, name: str, address: str, now: int) -> int:
    """Take one try from the budget of a name and of an address, before it is made; answers 0, or how many ms to wait instead.

    It is taken in advance, so that many tries at once are not more than many one after another.
    """
    free = {_name(name): FREE_OF_NAME, _address(address): FREE_OF_ADDRESS}
    with store.write() as connection:
        rows = [_held(connection, key, now) for key in sorted(free)]
        wait = max(_wait(row, free[row.key], now) for row in rows)
        if wait == 0:
            for row in rows:
                _set(connection, row, row.failures + 1, now)
        else:
            blocked = [row for row in rows if _wait(row, free[row.key], now)]
            _note(connection, name, blocked, by_name=any(row.key == _name(name) for row in blocked), now=now)
    return wait


def _note(connection: Connection, name: str, blocked: list[_Row], *, by_name: bool, now: int) -> None:
    """Log once that logins have to wait. A name that is no profile's is not written down: it may be a passphrase. All else is
    done for it too, so that nobody can tell by the time which names there are."""
    if all(row.told_at is not None for row in blocked):
        return
    for row in blocked:
        _set(connection, replace(row, told_at=now), row.failures, row.last_at)
    number = principals.number(connection, principals.spelled(name))
    profile = None if number is None else profiles.profile(connection, number)
    whom = profiles.as_subject(profile) if profile is not None and by_name else Subject()
    events.enter_stranger(connection, LOGIN, "login_blocked", whom, now, {"budget": "name" if by_name else "address"})


def succeeded(store: Store, name: str, address: str, now: int) -> None:
    """Give back what a login took that was none of those that fail. The name is clear again, the address only of this try."""
    with store.write() as connection:
        for key in sorted((_name(name), _address(address))):
            row = _held(connection, key, now)
            _set(connection, row, 0 if key == _name(name) else max(0, row.failures - 1), row.last_at)


def within(connection: Connection, key: str, most: int, window_ms: int, now: int) -> int:
    """Count one of at most so many in a window of time; answers 0, or how many ms until the next window."""
    row = _held(connection, _digest(key), now)
    if now - row.first_at >= window_ms:
        row = _Row(row.key, 0, now, now)
    if row.failures >= most:
        return int(row.first_at + window_ms - now)
    _set(connection, row, row.failures + 1, now)
    return 0


def _held(connection: Connection, key: str, now: int) -> _Row:
    """The row of a key, which nobody else can change before this transaction ends."""
    row = connection.one("attempt_hold", {"key": key, "now": now})
    assert row is not None, "the statement makes a row that is not there"
    found = _Row(key, *row)
    return _Row(key, 0, now, now) if now - found.last_at > FORGOTTEN_MS else found


def _wait(row: _Row, free: int, now: int) -> int:
    over = row.failures - free
    if over < 0:
        return 0
    pause = min(SECOND_MS << min(over, DOUBLINGS_MAX), WAIT_MS_MAX)
    return max(0, row.last_at + pause - now)


def _set(connection: Connection, row: _Row, failures: int, now: int) -> None:
    told = row.told_at if failures else None
    values = {"key": row.key, "failures": failures, "first_at": row.first_at, "last_at": now, "told_at": told}
    connection.run("attempt_set", values)


def _name(name: str) -> str:
    return _digest(f"name:{' '.join(name.split()).casefold()}")


def _address(address: str) -> str:
    return _digest(f"address:{origin(address)}")


def origin(address: str) -> str:
    """Who counts as one sender: an IPv4 address, or the /64 that a caller over IPv6 holds all of."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def _digest(key: str) -> str:
    """What was typed into the field of a name may be a passphrase, so no name is stored as it came."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
