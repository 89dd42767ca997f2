"""Profiles that the settings name: read whole or not at all, and made in the store when a server starts.

A profile that is configured no more has ended, with its tokens and grants. Passphrases stand here only as hashes.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from muniment.access import passphrases, profiles
from muniment.access.events import SETTINGS
from muniment.access.profiles import NewProfile, Profile
from muniment.errors import InvalidInput, MunimentError
from muniment.store.connections import Connection, Store

PROFILES_MAX = 1000
NAMES = {"data_classes": "classes"}
LISTS = frozenset({"read", "write", "data_classes"})
PLAIN = frozenset({"passphrase", "password", "secret"})
KEYS = frozenset({"data_classes"} | {one.name for one in fields(NewProfile)} - {"name", "classes"})


def read(text: str, file: str) -> list[NewProfile]:
    """The profiles of the settings `profiles` (JSON: name to entry) and `profiles_file` (TOML: a table for each name).

    Raises InvalidInput that names every fault of every entry, and repeats no secret.
    """
    faults: list[str] = []
    found: dict[str, NewProfile] = {}
    for where, entries in (("profiles", _json(text, faults)), ("profiles_file", _toml(file, faults))):
        for name, entry in entries.items():
            if name in found:
                faults.append(f"{name}: it stands in profiles and in profiles_file")
            elif isinstance(entry, Mapping):
                _read_one(found, faults, name, entry)
            else:
                faults.append(f"{where}: {name} is no entry with a level and a secret_hash")
    if len(found) > PROFILES_MAX:
        faults.append(f"there are more than {PROFILES_MAX}")
    _raise(faults)
    return list(found.values())


def settle(store: Store, wanted: Sequence[NewProfile], now: int, *, read_only: bool) -> tuple[list[str], list[str]]:
    """Make the store's configured profiles those of the settings; answers the names that were set, and that ended.

    Raises InvalidInput with every fault, and nothing is changed then; also where the store is only read and differs.
    """
    with store.read() as connection:
        changed, ended = _differing(connection, wanted)
    if not changed and not ended:
        return [], []
    if read_only:
        names = ", ".join([one.name for one in changed] + ended)
        said = f"The configured profiles differ from those of the store, which is only read ({names})."
        raise InvalidInput(said, "Start the server once without read_only.")
    with store.write() as connection:
        # Another server may start over this store at the same moment, and have done it all by then.
        profiles.hold(connection)
        changed, ended = _differing(connection, wanted)
        faults: list[str] = []
        # Those that end first, and no subject held from before: it may be that of another name now.
        profiles.end_all(connection, ended, now, actor=SETTINGS)
        profiles.release(connection, [one.name for one in changed])
        for one in changed:
            _told(faults, one.name, lambda one=one: profiles.keep(connection, one, now, configured=True, actor=SETTINGS))  # type: ignore[misc]
        _raise(faults)
    return [one.name for one in changed], ended


def _differing(connection: Connection, wanted: Sequence[NewProfile]) -> tuple[list[NewProfile], list[str]]:
    """The profiles that are not yet as they should be, and those that should be no more."""
    held = {one.name: one for one in profiles.listing(connection)}
    changed = [one for one in wanted if not _same(connection, held.get(one.name), one)]
    names = {one.name for one in wanted}
    return changed, [one.name for one in held.values() if one.configured and one.ended_at is None and one.name not in names]


def _same(connection: Connection, held: Profile | None, wanted: NewProfile) -> bool:
    if held is None or not held.configured or held.ended_at is not None:
        return False
    return (
        held.limits == wanted.limits
        and held.level == wanted.level
        and profiles.secret_of(connection, held.name) == wanted.secret_hash
        and held.subject == wanted.subject
    )


def _read_one(found: dict[str, NewProfile], faults: list[str], name: str, entry: Mapping[str, Any]) -> None:
    before = len(faults)
    if plain := sorted(PLAIN & entry.keys()):
        faults.append(f"{name}: {plain[0]} is a passphrase in plain text. {passphrases.HOW}")
    faults += [f"{name}: there is no field {key!r}" for key in sorted(entry.keys() - KEYS - PLAIN)]
    missing = ["level"] * ("level" not in entry) + ["secret_hash"] * (not {"secret_hash", "subject"} & entry.keys())
    faults += [f"{name}: {key} is missing" for key in missing if not plain]
    for key in sorted(KEYS & entry.keys()):
        value = entry[key]
        if key in LISTS and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            faults.append(f"{name}: {key} is no list of names")
        elif key not in LISTS and not isinstance(value, str):
            faults.append(f"{name}: {key} is no text")
    if len(faults) > before:
        return
    values: dict[str, Any] = {NAMES.get(key, key): tuple(value) if key in LISTS else value for key, value in entry.items()}
    made = NewProfile(name=name, **values)
    _told(faults, name, lambda: profiles.sound(made))
    if len(faults) == before:
        found[name] = made


def _told(faults: list[str], name: str, work: Callable[[], object]) -> None:
    """Do something, and put down why it cannot be done."""
    try:
        work()
    except MunimentError as fault:
        faults.append(f"{name}: {fault}")


def _json(text: str, faults: list[str]) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        # What it holds is not repeated: it may be a secret.
        faults.append("profiles: this is no JSON")
        return {}
    if not isinstance(found, dict):
        faults.append("profiles: this is no object that holds an entry for each name")
        return {}
    return found


def _toml(file: str, faults: list[str]) -> dict[str, Any]:
    if not file:
        return {}
    try:
        return tomllib.loads(Path(file).expanduser().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as fault:
        faults.append(f"profiles_file: {file} cannot be read ({fault})")
    except tomllib.TOMLDecodeError:
        faults.append(f"profiles_file: {file} is no TOML")
    return {}


def _raise(faults: list[str]) -> None:
    if faults:
        raise InvalidInput("Some profiles cannot be used: " + "; ".join(faults), "Correct them and start again.")
