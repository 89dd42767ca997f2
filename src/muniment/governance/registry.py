"""The workspaces as their admin sees them, and the operation `workspaces`, whose verbs stand in the module of their noun.

What the caller does not reach is in no list, no count and no candidate, and a name of it answers like one that is not there.
"""

from __future__ import annotations

from importlib import import_module

from muniment.access import folders, policy
from muniment.context import Context
from muniment.governance import statement as statements
from muniment.governance import workspaces as making
from muniment.model import workspaces as model
from muniment.model.access import Workspace
from muniment.model.times import Moment
from muniment.model.workspaces import AliasSeen, WorkspacesAnswer, WorkspaceSeen, WorkspacesRequest
from muniment.store import workspaces
from muniment.store.connections import Connection
from muniment.text import plain

# Every function is `(context, request, do) -> WorkspacesAnswer` and opens its own transaction.
VERBS: dict[type, str] = {
    model.AddWorkspace: "registry:add",
    model.ListWorkspaces: "registry:listed",
    model.ShowWorkspace: "registry:show",
    model.Candidates: "registry:candidates",
    model.Redirects: "registry:redirects",
    model.RenameWorkspace: "altering:rename",
    model.ArchiveWorkspace: "altering:archive",
    model.RestoreWorkspace: "altering:restore",
    model.SetWorkspace: "altering:set_",
    model.ConfirmWorkspace: "altering:confirm",
    model.KeepSeparate: "altering:keep_separate",
    model.MergeWorkspace: "merging:merge",
    model.MoveRecords: "merging:move",
}


def manage(context: Context, request: WorkspacesRequest) -> WorkspacesAnswer:
    """Look after workspaces: make, list, show, rename, merge and archive them, move records between them, set who may see one
    and what its questions cover, confirm a new one, keep two names apart.

    A merge, a move, and what opens a wall first answer confirmation_required with the impact; show it to whoever decides,
    then repeat the call with the `confirm` value. Errors: confirmation_required, unknown_project, insufficient_scope,
    invalid_input, protected_target, limit_exceeded.
    """
    making.manages(context)
    if request.do.verb not in model.READING:
        making.may(context)
    request = plain.clean_all(request)
    module, _, name = VERBS[type(request.do)].partition(":")
    found = getattr(import_module(f"muniment.governance.{module}"), name)
    answer: WorkspacesAnswer = found(context, request, request.do)
    return answer


def add(context: Context, request: WorkspacesRequest, do: model.AddWorkspace) -> WorkspacesAnswer:
    """Make a workspace; answers which others have a name so like its own that one of them may have been meant."""
    reason = statements.reason(context, request.reason)
    made = making.add(
        context,
        do.slug.strip(),
        name=do.name,
        kind=do.kind,
        data_class=do.data_class,
        isolation=do.isolation,
        reason=reason,
    )
    with context.store.read() as connection:
        near = policy.candidates(connection, made.slug, policy.reached(context, connection))
        reverse = f"`muniment workspace archive {made.slug}`"
        return WorkspacesAnswer(do.verb, (seen(connection, made),), candidates=_slugs(near), reverse=reverse)


def listed(context: Context, request: WorkspacesRequest, do: model.ListWorkspaces) -> WorkspacesAnswer:
    """Every workspace that the caller reaches, whatever its isolation."""
    with context.store.read() as connection:
        places = _all(context, connection) if do.archived else policy.reached(context, connection)
        return WorkspacesAnswer(do.verb, tuple(seen(connection, place) for place in places))


def show(context: Context, request: WorkspacesRequest, do: model.ShowWorkspace) -> WorkspacesAnswer:
    from muniment.governance import altering

    with context.store.read() as connection:
        place = altering.known(context, connection, do.workspace, archived=True)
        near = policy.candidates(connection, place.slug, policy.reached(context, connection))
        return WorkspacesAnswer(do.verb, (seen(connection, place, within=_all(context, connection)),), candidates=_slugs(near))


def candidates(context: Context, request: WorkspacesRequest, do: model.Candidates) -> WorkspacesAnswer:
    """Whom a name may mean that is none's; for a name of its own, which others are like it."""
    with context.store.read() as connection:
        may = policy.reached(context, connection)
        found = policy.meant(context, connection, do.name, may)
        near = policy.meant_perhaps(connection, folders.slug(do.name), may)
        return WorkspacesAnswer(do.verb, (seen(connection, found),) if found else (), candidates=_slugs(near))


def redirects(context: Context, request: WorkspacesRequest, do: model.Redirects) -> WorkspacesAnswer:
    with context.store.read() as connection:
        by_id = {place.id: place.slug for place in _all(context, connection)}
        told = [(one.name, one.workspace, one.decision) for one in workspaces.aliases(connection)]
        told += [(place.slug, place.id, "redirect") for place in _all(context, connection) if place.state == "archived"]
        ends = ((name, by_id.get(workspaces.final(connection, place)), how) for name, place, how in told)
        led = (AliasSeen(name, slug, how) for name, slug, how in ends if slug is not None and slug != name)
        return WorkspacesAnswer(do.verb, redirects=tuple(sorted(led, key=lambda one: (one.name, one.workspace))))


def seen(connection: Connection, place: Workspace, *, within: list[Workspace] | None = None) -> WorkspaceSeen:
    """A workspace with its counts; `within` are those that the caller sees, where the names around it are wanted too."""
    sizes = connection.one("workspace_sizes", {"workspace": place.id})
    assert sizes is not None, "a statement without FROM has one row"
    last = max((at for at in (sizes[3], sizes[4]) if at is not None), default=None)
    row = connection.one("workspace_merged_into", {"workspace": place.id})
    into = next((one.slug for one in within or () if row and one.id == row[0]), None)
    aliases = [one for one in workspaces.aliases(connection) if one.workspace == place.id] if within is not None else []
    return WorkspaceSeen(
        slug=place.slug,
        ref=f"w_{place.uid}",
        name=place.name,
        kind=place.kind,
        state=place.state,
        data_class=place.data_class,
        isolation=place.isolation,
        admits_similar=place.admits_similar,
        records=sum(count for _, count in connection.all("workspace_counts", {"workspace": place.id})),
        sessions=sizes[0],
        last_at=Moment(last, 0).iso() if last is not None else None,
        root=place.root if within is not None else None,
        merged_into=into,
        led_by=tuple(one.name for one in aliases if one.decision == "redirect"),
        apart=tuple(one.name for one in aliases if one.decision == "keep_separate"),
    )


def _all(context: Context, connection: Connection) -> list[Workspace]:
    return [place for place in workspaces.all_of(connection) if policy.visible(context.grant, place)]


def _slugs(found: list[Workspace]) -> tuple[str, ...]:
    return tuple(place.slug for place in found)
