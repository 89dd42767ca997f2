"""Altering a workspace: what it is called, who may see it and what its questions cover. Every change is one action.

A former name goes on leading to its workspace. What is set can be undone; a rename is reversed by renaming back.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.access import folders, names, policy
from muniment.context import Context
from muniment.errors import InsufficientScope, InvalidInput, StaleVersion, UnknownWorkspace
from muniment.governance import changes, confirmations, ledger
from muniment.governance import statement as statements
from muniment.governance import workspaces as making
from muniment.governance.changes import Act, Effect
from muniment.governance.registry import seen
from muniment.model.access import CLASSES, DataClass, Workspace
from muniment.model.workspaces import (
    ArchiveWorkspace,
    ConfirmWorkspace,
    KeepSeparate,
    RenameWorkspace,
    RestoreWorkspace,
    SetWorkspace,
    WorkspacesAnswer,
    WorkspacesRequest,
)
from muniment.store import notices, workspaces
from muniment.store.connections import Connection


def rename(context: Context, request: WorkspacesRequest, do: RenameWorkspace) -> WorkspacesAnswer:
    """Give a workspace another name. Tokens, the git project and the old name go on leading to it."""
    making.names_all(context)
    to = names.composed(do.to.strip())
    with context.store.write() as connection:
        workspaces.hold_all(connection)
        place = held(context, connection, do.workspace)
        _own(place)
        if to == place.slug and do.name in (None, place.name):
            raise InvalidInput(f"The workspace is called {to!r} already.", "There is nothing to change.")
        if to != place.slug:
            making.check(connection, to, own=place.id)
            values = {"workspace": place.id, "principal": context.grant.principal, "at": context.now()}
            connection.run("workspace_alias_cut", {"alias": to, "workspace": place.id})
            connection.run("workspace_alias_put", values | {"alias": place.slug, "decision": "redirect"})
        name = do.name or (to if place.name == place.slug else place.name)
        connection.run("workspace_named", {"workspace": place.id, "slug": to, "name": name})
        notices.settle(connection, place.id, f"w_{place.uid}", "resolved")
        entered = ledger.enter(
            context, connection, place.id, "rename", targets={"workspace": place.uid}, reason=why(context, request)
        )
        now = seen(connection, again(connection, place))
    context.shelf.clear()
    return WorkspacesAnswer(do.verb, (now,), f"a_{entered.uid}", reverse=f"`muniment workspace rename {now.slug} {place.slug}`")


def archive(context: Context, request: WorkspacesRequest, do: ArchiveWorkspace) -> WorkspacesAnswer:
    """Take a workspace out of every list and answer; its records stay stored."""
    with context.store.write() as connection:
        place = held(context, connection, do.workspace, archived=True)
        if place.slug in (policy.GLOBAL, policy.INBOX):
            raise InvalidInput(f"{place.slug!r} is part of every store.", "Archive another workspace.")
        if place.state == "archived":
            raise InvalidInput(f"{place.slug!r} is archived already.", "`muniment workspace list` shows those in use.")
        action = _set(context, connection, place, request, "archive", {"state": "archived"})
        now = seen(connection, again(connection, place))
    context.shelf.clear()
    return WorkspacesAnswer(do.verb, (now,), action, reverse=f"`muniment workspace restore {place.slug}`")


def restore(context: Context, request: WorkspacesRequest, do: RestoreWorkspace) -> WorkspacesAnswer:
    """Bring an archived workspace back. One that was merged comes back by undoing the merge."""
    with context.store.write() as connection:
        place = held(context, connection, do.workspace, archived=True)
        if place.state != "archived":
            raise InvalidInput(f"{place.slug!r} is not archived.", "There is nothing to restore.")
        row = connection.one("workspace_merged_into", {"workspace": place.id})
        if row and row[0] is not None:
            raise InvalidInput(f"{place.slug!r} was merged into another workspace.", "Undo the merge instead.")
        if place.slug.startswith(folders.FORGOTTEN):
            raise InvalidInput("What was forgotten does not come back.", "Make a new workspace.")
        action = _set(context, connection, place, request, "restore", {"state": "active"})
        now = seen(connection, again(connection, place))
    context.shelf.clear()
    return WorkspacesAnswer(do.verb, (now,), action, reverse=f"`muniment workspace archive {place.slug}`")


def confirm(context: Context, request: WorkspacesRequest, do: ConfirmWorkspace) -> WorkspacesAnswer:
    """Make a workspace active that waits since its name was new, or say of a new one that it is meant."""
    with context.store.write() as connection:
        place = held(context, connection, do.workspace)
        notices.settle(connection, place.id, f"w_{place.uid}", "resolved")
        action = _set(context, connection, place, request, "workspace_confirm", {"state": "active"})
        now = seen(connection, again(connection, place))
    context.shelf.clear()
    return WorkspacesAnswer(do.verb, (now,), action, reverse=f"`muniment workspace archive {place.slug}`")


def set_(context: Context, request: WorkspacesRequest, do: SetWorkspace) -> WorkspacesAnswer:
    """Set class, isolation or what a strict workspace admits. What opens a wall is confirmed first."""
    wanted: dict[str, str | int] = {}
    for name in ("data_class", "isolation", "admits_similar"):
        if (value := getattr(do, name)) is not None:
            wanted[name] = int(value) if isinstance(value, bool) else value
    if not wanted:
        raise InvalidInput("There is nothing to set.", "Pass data_class, isolation or admits_similar.")
    if do.data_class is not None and do.data_class not in context.grant.classes:
        raise InsufficientScope(f"This token does not see the class {do.data_class}.")
    with context.store.read() as connection:
        place = held(context, connection, do.workspace)
        if place.slug == policy.GLOBAL and do.isolation == "strict":
            raise InvalidInput("global is what all share.", "Make a workspace of its own for what nobody else may find.")
        opened = _opened(place, do)
    ticket = confirmations.require(context, request, _seal(place), opened) if opened else None
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        if _seal(again(connection, place)) != _seal(place):
            raise StaleVersion(f"{place.slug!r} changed at this moment.", "Look at it again, and repeat the call.")
        if ticket is not None:
            confirmations.spend(context, connection, ticket)
        action = _set(context, connection, place, request, "workspace_set", wanted)
        now = seen(connection, again(connection, place))
    context.shelf.clear()
    return WorkspacesAnswer(do.verb, (now,), action, reverse=f"`muniment undo {action}`")


def keep_separate(context: Context, request: WorkspacesRequest, do: KeepSeparate) -> WorkspacesAnswer:
    """Remember that a name is not another spelling of a workspace: it is neither taken for it nor proposed again."""
    making.names_all(context)
    alias = folders.slug(do.name)
    with context.store.write() as connection:
        workspaces.hold_all(connection)
        place = held(context, connection, do.workspace)
        if alias == place.slug:
            raise InvalidInput(f"{alias!r} is the name of that workspace.", "Name two that differ.")
        if workspaces.led_to(connection, alias, alias) == place.id:
            raise InvalidInput(f"{alias!r} was a name of it, and leads to it.", "Choose another name for the new workspace.")
        other = workspaces.by_slug(connection, alias)
        pairs = [(alias, place.id), *([(place.slug, other.id)] if other is not None else [])]
        if do.no_longer and place.id not in workspaces.kept_apart(connection, alias):
            raise InvalidInput(
                f"{alias!r} is not kept apart from {place.slug!r}.", "`muniment workspace redirects` lists them."
            )
        for name, number in pairs:
            _decide(context, connection, name, number, apart=not do.no_longer)
        if other is not None and not do.no_longer:
            notices.settle(connection, other.id, f"w_{other.uid}", "resolved")
        kind = "keep_separate_no_longer" if do.no_longer else "keep_separate"
        targets: dict[str, object] = {"workspace": place.uid}
        entered = ledger.enter(context, connection, place.id, kind, targets=targets, reason=why(context, request))
        now = seen(connection, again(connection, place))
    reverse = f"`muniment workspace keep-separate {alias} {place.slug}{'' if do.no_longer else ' --no-longer'}`"
    return WorkspacesAnswer(do.verb, (now,), f"a_{entered.uid}", reverse=reverse)


def _decide(context: Context, connection: Connection, alias: str, workspace: int, *, apart: bool) -> None:
    pair: dict[str, str | int] = {"alias": alias, "workspace": workspace}
    if apart:
        decided: dict[str, str | int] = {"decision": "keep_separate", "principal": context.grant.principal, "at": context.now()}
        connection.run("workspace_alias_put", pair | decided)
    else:
        connection.run("workspace_alias_cut", pair)


def held(context: Context, connection: Connection, name: str, *, archived: bool = False) -> Workspace:
    """The workspace of that name, if the caller sees and may change it. Absent and hidden ones are told alike."""
    found = known(context, connection, name, archived=archived)
    policy.changes(context, found)
    return found


def known(context: Context, connection: Connection, name: str, *, archived: bool = False) -> Workspace:
    """The workspace of that name, if the caller sees it; `archived`: also one that nobody reads any more."""
    there = workspaces.by_slug(connection, name.strip().lower()) if archived else None
    if there is not None and policy.visible(context.grant, there):
        return there
    found = policy.meant(context, connection, name, policy.reached(context, connection))
    if found is None:
        raise UnknownWorkspace(f"There is no workspace {name!r}.")
    return found


def again(connection: Connection, place: Workspace) -> Workspace:
    """A workspace as it is by now."""
    return workspaces.by_ids(connection, [place.id])[0]


def why(context: Context, request: WorkspacesRequest) -> str | None:
    return statements.reason(context, request.reason)


def looser(one: DataClass, other: DataClass) -> bool:
    """Whether the first class lets more callers see than the second."""
    return CLASSES.index(one) < CLASSES.index(other)


def _own(place: Workspace) -> None:
    if place.slug in (policy.GLOBAL, policy.INBOX):
        raise InvalidInput(f"{place.slug!r} is part of every store.", "Its name stays.")


def _opened(place: Workspace, do: SetWorkspace) -> str:
    """What a change would open, in words; empty where it opens nothing."""
    said = []
    if do.data_class is not None and looser(do.data_class, place.data_class):
        said.append(f"{place.slug} is {place.data_class}; as {do.data_class} it is seen by every token that has that class.")
    if place.isolation == "strict" and do.isolation in ("none", "weak"):
        said.append(f"What {place.slug} holds will be found by questions about everything.")
    return " ".join(said)


def _seal(place: Workspace) -> Sequence[object]:
    return [place.uid, place.slug, place.state, place.data_class, place.isolation, place.admits_similar]


def _set(
    context: Context,
    connection: Connection,
    place: Workspace,
    request: WorkspacesRequest,
    kind: str,
    wanted: dict[str, str | int],
) -> str:
    workspaces.hold(connection, place.id)
    act = Act(kind, {"workspace": place.uid}, why(context, request))
    effects = [Effect("workspace", place.id, name, value) for name, value in wanted.items()]
    return f"a_{changes.make(context, connection, place.id, act, effects).uid}"
