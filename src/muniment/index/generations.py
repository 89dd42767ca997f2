"""Changing the store's embedder: the new one builds in the shadow while the old one answers, then they flip.

The flip is one transaction. Until then nothing of the new generation is read; afterwards nothing of the old one.
"""

from __future__ import annotations

from dataclasses import dataclass

from muniment.access import policy
from muniment.context import Context
from muniment.errors import InvalidInput
from muniment.model.embedders import EmbedderSpec
from muniment.store import generations as stored
from muniment.store import workspaces
from muniment.store.connections import Connection


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a generation has come, over every workspace: passages that have a vector, and all of them."""

    generation: stored.Generation
    done: int
    wanted: int


def start(context: Context, spec: EmbedderSpec, api_key: str = "") -> stored.Generation:
    """Begin a generation for a tested embedder; it replaces one that was building. Raises InvalidInput for the live one."""
    policy.writable(context)
    with context.store.write() as connection:
        workspaces.hold_all(connection)
        now = context.now()
        for one in stored.all_of(connection):
            if one.spec_hash == spec.hash() and one.state == "live":
                raise InvalidInput("The store uses exactly this embedder already.", "`muniment embedder show` names it.")
            if one.state == "building":
                _discard(connection, one)
        values = {"uid": context.uid(), "spec_hash": spec.hash(), "spec": stored.spec_text(spec), "api_key": api_key}
        connection.run(
            "generation_add", values | {"dimension": spec.dimension, "state": "building", "now": now, "live_at": None}
        )
        enqueue(connection, now)
        made = next(one for one in stored.all_of(connection) if one.state == "building")
    flip_if_complete(context)
    return made


def switch_off(context: Context) -> None:
    """Retire every generation: the store answers from words alone until another embedder is set."""
    policy.writable(context)
    with context.store.write() as connection:
        workspaces.hold_all(connection)
        for one in stored.wanted(connection):
            _discard(connection, one)


def remake(context: Context) -> None:
    """Drop the live generation's vectors and make them again."""
    policy.writable(context)
    with context.store.write() as connection:
        workspaces.hold_all(connection)
        live = stored.live(connection)
        if live is None:
            raise InvalidInput("The store has no embedder.", "Choose one with `muniment embedder set`.")
        _drop(connection, live)
        enqueue(connection, context.now())


def enqueue(connection: Connection, now: int) -> None:
    """Ask for vectors of everything that is stored."""
    for workspace in workspaces.all_of(connection):
        _, passages = workspaces.stamp(connection, workspace.id)
        if passages:
            values = {"workspace": workspace.id, "job": "embed", "first": 1, "last": passages, "not_before": now}
            connection.run("job_add", values)


def coverage(connection: Connection, generation: stored.Generation, within: list[int]) -> Coverage:
    """Coverage over some workspaces."""
    done = wanted = 0
    for workspace in within:
        row = connection.one("vectors_count", {"workspace": workspace, "generation": generation.id})
        sizes = connection.one("workspace_sizes", {"workspace": workspace})
        done += row[0] if row else 0
        wanted += sizes[1] if sizes else 0
    return Coverage(generation, done, wanted)


def flip_if_complete(context: Context) -> bool:
    """Make the building generation live once it covers every passage; answers whether it did."""
    with context.store.read() as connection:
        if _ready(connection) is None:
            return False
    with context.store.write() as connection:
        workspaces.hold_all(connection)
        building = _ready(connection)  # it may have been discarded, or a passage stored, just now
        if building is None:
            return False
        for one in stored.all_of(connection):
            if one.state == "live":
                _discard(connection, one)
        connection.run("generation_state", {"generation": building.id, "state": "live", "live_at": context.now()})
        for workspace in workspaces.all_of(connection):
            workspaces.take(connection, workspace.id)
    return True


def _ready(connection: Connection) -> stored.Generation | None:
    """The generation that is building, if it covers every passage."""
    building = next((one for one in stored.all_of(connection) if one.state == "building"), None)
    if building is None:
        return None
    found = coverage(connection, building, [workspace.id for workspace in workspaces.all_of(connection)])
    return building if found.done >= found.wanted else None


def _discard(connection: Connection, generation: stored.Generation) -> None:
    _drop(connection, generation)
    connection.run("generation_state", {"generation": generation.id, "state": "retired", "live_at": None})


def _drop(connection: Connection, generation: stored.Generation) -> None:
    for workspace in workspaces.all_of(connection):
        values = {"workspace": workspace.id, "generation": generation.id}
        for name in ("vectors_drop", "codes_drop", "space_drop"):
            connection.run(name, values)
        workspaces.take(connection, workspace.id)
