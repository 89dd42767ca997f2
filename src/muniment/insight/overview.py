"""What there is: workspaces, counts and how far the indexes have come. Counts come only from what the caller may read."""

from __future__ import annotations

from muniment.access import policy
from muniment.context import Context
from muniment.index import generations
from muniment.model.access import Workspace
from muniment.model.reading import (
    EmbedderState,
    Project,
    ProjectsAnswer,
    ProjectsRequest,
    SessionHead,
    StatsAnswer,
    StatsRequest,
)
from muniment.model.times import Moment
from muniment.recall.read import head
from muniment.store import generations as stored
from muniment.store import sessions
from muniment.store.connections import Connection


def list_projects(context: Context, request: ProjectsRequest) -> ProjectsAnswer:
    """The workspaces you may read, with how much each holds, which one is current and which you may write to.

    Limits: one that is strict, or waits to be confirmed, is listed only where it is the current one; it is read by its name.
    """
    with context.store.read() as connection:
        return ProjectsAnswer(tuple(_project(context, connection, place) for place in policy.readable(context, connection)))


def stats(context: Context, request: StatsRequest) -> StatsAnswer:
    """How much is remembered: records by sort, sessions, passages, entities, and how far the embedder has come.

    Errors: forbidden_scope.
    """
    with context.store.read() as connection:
        places = policy.asked(context, connection, request.workspace)
        kinds: dict[str, int] = {}
        passages = entities = talks = 0
        for place in places:
            for kind, count in connection.all("workspace_counts", {"workspace": place.id}):
                kinds[kind] = kinds.get(kind, 0) + count
            sizes = connection.one("workspace_sizes", {"workspace": place.id})
            if sizes:
                talks, passages, entities = talks + sizes[0], passages + sizes[1], entities + sizes[2]
        turns, documents = kinds.get("turn", 0), kinds.get("document", 0)
        return StatsAnswer(
            workspaces=tuple(place.slug for place in places),
            records=sum(kinds.values()),
            turns=turns,
            documents=documents,
            memories=sum(kinds.values()) - turns - documents,
            sessions=talks,
            passages=passages,
            entities=entities,
            bytes=None if policy.walled(context.grant) else context.store.bytes(),
            embedder=embedder_state(context, connection, places),
            recent_sessions=_recent(connection, places, request.sessions),
        )


def embedder(context: Context) -> EmbedderState | None:
    """The live generation and its coverage over everything that the caller may read."""
    with context.store.read() as connection:
        return embedder_state(context, connection, policy.asked(context, connection, policy.EVERYTHING))


def embedder_state(context: Context, connection: Connection, places: list[Workspace]) -> EmbedderState | None:
    """The live generation and its coverage over some workspaces; None when the store has none."""
    live = stored.live(connection)
    if live is None:
        return None
    found = generations.coverage(connection, live, [place.id for place in places])
    share = found.done / found.wanted if found.wanted else 1.0
    state = context.engines.off or live.state
    return EmbedderState(live.name, live.dimension, state, round(share, 4), found.wanted - found.done)


def _project(context: Context, connection: Connection, place: Workspace) -> Project:
    counts = connection.all("workspace_counts", {"workspace": place.id})
    sizes = connection.one("workspace_sizes", {"workspace": place.id})
    assert sizes is not None, "a statement without FROM has one row"
    last = max((at for at in (sizes[3], sizes[4]) if at is not None), default=None)
    writes = context.grant.write is None or place.slug in context.grant.write
    return Project(
        project_id=place.slug,
        name=place.name,
        kind=place.kind,
        records=sum(count for _, count in counts),
        sessions=sizes[0],
        last_at=Moment(last, 0).iso() if last is not None else None,
        current=place.slug == context.workspace,
        writable=writes and not context.read_only and bool(context.grant.scopes & {"append", "write"}),
        state=place.state,
        data_class=place.data_class,
        isolation=place.isolation,
    )


def _recent(connection: Connection, places: list[Workspace], limit: int) -> tuple[SessionHead, ...]:
    found = [(talk, place) for place in places for talk in sessions.recent(connection, place.id, limit)] if limit else []
    found.sort(key=lambda one: -(one[0].last.ms if one[0].last else 0))
    return tuple(head(talk, place) for talk, place in found[:limit])
