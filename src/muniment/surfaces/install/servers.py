"""Our entry among a client's servers: added, brought up to date, taken out.

One thing is always true: what a person added to the entry, such as more arguments, variables or switches, survives an update.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from muniment.surfaces.install import jsonc, toml
from muniment.surfaces.install.clients import TOKEN_INPUT, Client, Entry

_CHOSEN_BY_PEOPLE = frozenset({"enabled", "disabled", "tools"})
_REMOTE = frozenset({"url", "serverUrl", "httpUrl"})
_LAST_OF_OURS = "stdio"


def editor(client: Client) -> ModuleType:
    """The module that edits the client's format: it offers `value`, `put` and `remove`."""
    return toml if client.format == "toml" else jsonc


def entry(text: str, client: Client) -> Any:
    """Our entry as it stands, or None."""
    values = editor(client).value(text)
    for key in client.path:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def add(text: str, client: Client, wanted: Entry, question: dict[str, Any] | None = None) -> str:
    """Put the entry in, or bring the one that is there up to date; `question` is what VS Code asks for a token."""
    have = entry(text, client)
    if isinstance(have, dict) and _remote(have) == _remote(wanted):
        text = _merged(text, client, client.path, have, _lengthened(have, wanted))
    else:
        text = editor(client).put(text, client.path, wanted)
    if question is not None and not _asked(text):
        text = jsonc.put(text, ("inputs", len(_inputs(text))), question)
    return text


def drop(text: str, client: Client, kept: Any = None) -> str:
    """Take the entry out. `kept` is the file as it was before us: a list of servers that was empty there stays."""
    if entry(text, client) is None:
        return text
    text = editor(client).remove(text, client.path)
    if client.inputs:
        for at in reversed(_asked(text)):
            text = jsonc.remove(text, ("inputs", at))
    if client.format == "json":
        for key in (*client.keys, *(("inputs",) if client.inputs else ())):
            if jsonc.value(text).get(key) in ({}, []) and not (isinstance(kept, dict) and key in kept):
                text = jsonc.remove(text, (key,))
    return text


def asked(text: str) -> dict[str, Any] | None:
    """The question for the token that the file holds, or None."""
    places = _asked(text)
    return dict(_inputs(text)[places[0]]) if places else None


def command(have: Entry) -> list[str]:
    """The words a local entry starts; empty for a server elsewhere."""
    first = have.get("command")
    words = first if isinstance(first, list) else [first, *(have.get("args") or [])] if isinstance(first, str) else []
    return [str(word) for word in words]


def _remote(have: Entry) -> bool:
    return not _REMOTE.isdisjoint(have)


def _merged(text: str, client: Client, path: tuple[str, ...], have: Entry, wanted: Entry) -> str:
    for key, new in wanted.items():
        old = have.get(key)
        if isinstance(new, dict) and isinstance(old, dict):
            text = _merged(text, client, (*path, key), old, new)
        elif key not in have or (key not in _CHOSEN_BY_PEOPLE and old != new):
            text = editor(client).put(text, (*path, key), new)
    return text


def _lengthened(have: Entry, wanted: Entry) -> Entry:
    """Arguments that a person wrote behind ours stay behind ours."""
    longer = dict(wanted)
    for key in ("command", "args"):
        old, new = have.get(key), wanted.get(key)
        if isinstance(old, list) and isinstance(new, list) and _LAST_OF_OURS in old:
            longer[key] = new + old[old.index(_LAST_OF_OURS) + 1 :]
    return longer


def _inputs(text: str) -> list[Any]:
    values = jsonc.value(text)
    found = values.get("inputs") if isinstance(values, dict) else None
    return found if isinstance(found, list) else []


def _asked(text: str) -> list[int]:
    return [at for at, one in enumerate(_inputs(text)) if isinstance(one, dict) and one.get("id") == TOKEN_INPUT]
