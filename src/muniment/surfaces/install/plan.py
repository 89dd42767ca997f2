"""What `muniment install` would change, as texts before and after; nothing is written here.

One thing is always true: a plan for a machine that is as wanted is empty.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from muniment.errors import InvalidInput
from muniment.surfaces.install import clients, hooks, jsonc, launch, servers
from muniment.surfaces.install.changes import Change, backups, read
from muniment.surfaces.install.clients import TOKEN_INPUT, Client, Entry, Launch, Machine, Remote

Scope = Literal["user", "project"]

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What no shell, no client's own variables and no log could take for anything but an address; names and passwords have no place.
_ADDRESS = re.compile(
    r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?(/[A-Za-z0-9._~%/-]*)?(\?[A-Za-z0-9._~%/=&+-]*)?"
)
_SECRET = re.compile(r"(TOKEN|KEY|SECRET|PASSWORD)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Part:
    """One file of a client with the ways to put us in and take us out; `again` repeats in another text what `text` holds."""

    path: Path
    what: str
    present: Callable[[str], bool]
    add: Callable[[str], str]
    drop: Callable[[str, Any], str]
    again: Callable[[str, str], str]
    value: Callable[[str], Any]


def plan(
    client: Client,
    machine: Machine,
    *,
    command: Sequence[str],
    scope: Scope,
    url: str | None = None,
    token_env: str | None = None,
    env: Mapping[str, str] | None = None,
    uninstall: bool = False,
    hooks: bool = True,
) -> tuple[Change, ...]:
    """The changes that put Muniment into a client, or take it out.

    `command` starts this Muniment; `url` names a server elsewhere instead, and then no hooks are written, since they
    would fill the memory of this machine. Raises InvalidInput for files that cannot be parsed and for what the client
    cannot express.
    """
    wanted = None if uninstall else clients.entry(client, _server(command, url, token_env, env))
    found = [Path(path) for path in clients.files(client, machine, scope)]
    if not uninstall:
        found = [_chosen(client, found)]
    question = _question(token_env) if client.inputs and token_env else None
    parts = [_server_part(client, path, wanted or {}, question) for path in found]
    settings = clients.hook_file(client, machine, scope)
    if settings is not None and hooks and (uninstall or url is None):
        parts.append(_hook_part(client, Path(settings), launch.shell([*command, "hook"], machine.platform)))
    private = bool(env or token_env)
    planned = [_removed(part) if uninstall else _added(part, private=private) for part in parts]
    return tuple(change for change in planned if change is not None)


def _server(command: Sequence[str], url: str | None, token_env: str | None, env: Mapping[str, str] | None) -> Launch | Remote:
    if token_env and not _VARIABLE.fullmatch(token_env):
        raise InvalidInput(f"{token_env!r} is no name of a variable.", "Name the variable that holds the token, not the token.")
    if url is None:
        if token_env:
            raise InvalidInput("A token is only needed for a server elsewhere.", "Add --url, or leave --token-env out.")
        return Launch(command[0], (*command[1:], "stdio"), _plain(env or {}))
    if env:
        raise InvalidInput("A server elsewhere takes no variables from here.", "Leave --env out, or leave --url out.")
    if not _ADDRESS.fullmatch(url):
        raise InvalidInput(
            f"{url!r} is no plain http or https address.", "Use the address that `muniment serve` prints, with /mcp."
        )
    return Remote(url, token_env or "")


def _plain(env: Mapping[str, str]) -> Mapping[str, str]:
    for name in env:
        if not _VARIABLE.fullmatch(name):
            raise InvalidInput(f"{name!r} is no name of a variable.", "Write --env NAME=VALUE.")
        if _SECRET.search(name):
            raise InvalidInput(
                f"{name} looks like a secret, and Muniment writes none into the files of others.",
                "Set it in the environment that the client starts in, or in Muniment's own config.toml.",
            )
    return env


def _question(token_env: str) -> dict[str, Any]:
    return {
        "type": "promptString",
        "id": TOKEN_INPUT,
        "description": f"Muniment token (the value of {token_env})",
        "password": True,
    }


def _chosen(client: Client, found: Sequence[Path]) -> Path:
    """The file that holds us already, else the first that exists, else the preferred one."""
    texts = [(path, _text(path, servers.editor(client).value)) for path in found]
    holding = [path for path, text in texts if text is not None and servers.entry(text, client) is not None]
    existing = [path for path, text in texts if text is not None]
    return (holding or existing or list(found))[0]


def _server_part(client: Client, path: Path, wanted: Entry, question: dict[str, Any] | None) -> _Part:
    def again(kept: str, text: str) -> str:
        return servers.add(kept, client, servers.entry(text, client), servers.asked(text) if client.inputs else None)

    return _Part(
        path=path,
        what=f"the server muniment in {client.title}",
        present=lambda text: servers.entry(text, client) is not None,
        add=lambda text: servers.add(text, client, wanted, question),
        drop=lambda text, kept: servers.drop(text, client, kept),
        again=again,
        value=servers.editor(client).value,
    )


def _hook_part(client: Client, path: Path, command: str) -> _Part:
    return _Part(
        path=path,
        what=f"the hooks of {client.title} that run `muniment hook`",
        present=lambda text: bool(hooks.commands(text)),
        add=lambda text: hooks.add(text, command),
        drop=hooks.drop,
        again=lambda kept, text: hooks.add(kept, hooks.commands(text)[0]),
        value=jsonc.value,
    )


def _added(part: _Part, *, private: bool) -> Change | None:
    before = _text(part.path, part.value)
    with _named(part.path):
        after = part.add(before or "")
        was = before is not None and part.present(before)
    if after == before:
        return None
    return Change(part.path, before, after, f"{'updated' if was else 'added'} {part.what}", private)


def _removed(part: _Part) -> Change | None:
    """Take us out; when nothing else changed since, the file becomes again, byte for byte, what it was."""
    before = _text(part.path, part.value)
    if before is None:
        return None
    with _named(part.path):
        if not part.present(before):
            return None
        kept = _before_us(part)
        after: str | None = part.drop(before, None if kept is None else part.value(kept))
        if kept is not None and part.again(kept, before) == before:
            after = kept
        elif kept is None and after is not None and after.strip(jsonc.BYTE_ORDER_MARK + " \t\r\n") in ("", "{}"):
            after = None
    return Change(part.path, before, after, f"removed {part.what}")


def _before_us(part: _Part) -> str | None:
    """The newest backup that did not hold us yet."""
    for text in backups(part.path):
        with contextlib.suppress(InvalidInput):
            if isinstance(part.value(text) or {}, dict) and not part.present(text):
                return text
    return None


def _text(path: Path, value: Callable[[str], Any]) -> str | None:
    """A file that can be parsed and is an object, or None when there is none."""
    text = read(path)
    if text is not None:
        with _named(path):
            if not isinstance(value(text) or {}, dict):
                raise InvalidInput("the file holds a list or a single value.", "Nothing was changed. Correct the file first.")
    return text


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Faults inside a file are told with its name."""
    try:
        yield
    except InvalidInput as fault:
        raise InvalidInput(f"{path}, {fault.message}", fault.do_next) from None
