"""Taking in the session files of clients: only what is new since the last reading, into the workspace of its folder.

The place in a file is kept after each stored batch, so a crash between the two only reads a batch again, and the ids of
its turns make that harmless. Nothing here loads numpy: hooks come this way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from muniment.access import folders, policy
from muniment.context import Context
from muniment.errors import InvalidInput
from muniment.governance import workspaces as governed
from muniment.governance.marks import UNGUESSABLE
from muniment.ingest import turns
from muniment.ingest.importers import Reading, open_file, resume_at
from muniment.model.times import MINUTE_MS
from muniment.model.turns import Incoming, IncomingTurn, Rejected, SessionInfo
from muniment.store import sessions, sources, workspaces

# A file that was read this recently is looked at once more: clients write the last lines after they call their hooks.
LATELY_MS = 10 * MINUTE_MS
FILES_AT_ONCE = 200
BYTES_AT_ONCE = 16 * 1024 * 1024
REJECTED_LISTED_MAX = 1000


@dataclass(frozen=True, slots=True)
class Imported:
    """What one reading of one file came to. `bytes` were read; `more` says that some are left for another call.

    `unfinished`: the last line is half-written, as in a session that goes on; it is read when it is whole.
    `left_out` counts turns of paused folders; `rejected` lists at most REJECTED_LISTED_MAX of `rejected_total`.
    """

    path: Path
    client: str
    added: int = 0
    duplicates: int = 0
    masked: int = 0
    rejected: tuple[Rejected, ...] = ()
    rejected_total: int = 0
    left_out: int = 0
    sessions: frozenset[tuple[str, str]] = frozenset()
    bytes: int = 0
    more: bool = False
    unfinished: bool = False


@dataclass(frozen=True, slots=True)
class Route:
    """Where the turns of a file go. `place` rewrites a folder of another machine into one of this.

    `workspace` sends everything to one place; else each session goes to the workspace of its folder (`cwd` when it names
    none), and to the inbox outside of any project. `paused` says of a folder that nothing said there is kept.
    """

    workspace: str | None = None
    cwd: Path | None = None
    place: Callable[[str], Path] = Path
    paused: Callable[[Path], bool] = field(default=lambda folder: False)


@dataclass(slots=True)
class _Count:
    left_out: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    rejected_total: int = 0

    def reject(self, found: list[Rejected]) -> None:
        self.rejected_total += len(found)
        self.rejected += found[: REJECTED_LISTED_MAX - len(self.rejected)]


def import_file(
    context: Context,
    path: Path,
    client: str,
    *,
    route: Route | None = None,
    bytes_max: int | None = None,
    dry_run: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Imported:
    """Keep what a client's file holds beyond its last reading. `progress` hears how many bytes are done.

    Raises InvalidInput when the file cannot be read, and what `turns.keep` raises; what was stored by then stays.
    """
    route = route or Route()
    path = Path(os.path.realpath(path))
    target = _fixed(context, route.workspace)
    start = _resume(context, path, client, target)
    reading = open_file(path, client, offset=start, bytes_max=bytes_max)
    count, kept = _Count(), turns.Kept()
    incoming = _routed(context, reading, route, count, dry_run=dry_run)
    for _ in turns.keep(context, incoming, workspace=route.workspace or policy.INBOX, dry_run=dry_run, kept=kept):
        count.reject(kept.rejected)
        kept.rejected.clear()
        if not dry_run:
            _remember_place(context, path, client, reading, target or _main(kept))
        if progress:
            progress(reading.offset - start)
    return Imported(
        path=path,
        client=client,
        added=kept.added,
        duplicates=kept.duplicates,
        masked=kept.masked,
        rejected=tuple(count.rejected),
        rejected_total=count.rejected_total,
        left_out=count.left_out,
        sessions=frozenset(kept.sessions),
        bytes=reading.offset - start,
        more=reading.more,
        unfinished=reading.unfinished,
    )


def catch_up(context: Context, *, paused: Callable[[Path], bool] | None = None) -> list[Imported]:
    """Read on in the files of which more was left, and look once more at those that were read lately."""
    route = Route(paused=paused) if paused else Route()
    with context.store.read() as connection:
        marks = sources.behind(connection, context.now() - LATELY_MS, FILES_AT_ONCE)
        slugs = {workspace.id: workspace.slug for workspace in workspaces.all_of(connection) if workspace.state != "archived"}
    done = []
    for mark in marks:
        path = Path(mark.path)
        if not path.is_file() or mark.workspace not in slugs:
            _give_up(context, mark)
            continue
        slug = slugs[mark.workspace]
        where = replace(route, workspace=None if slug == policy.INBOX else slug)
        while True:
            done.append(import_file(context, path, mark.client, route=where, bytes_max=BYTES_AT_ONCE))
            if not done[-1].more:
                break
    return done


def known_client(context: Context, path: Path) -> str | None:
    """The client of a file that was read before."""
    with context.store.read() as connection:
        mark = sources.get(connection, os.path.realpath(path))
    return mark.client if mark else None


def _fixed(context: Context, workspace: str | None) -> int | None:
    """The number of the workspace that everything is to go to, if one is named."""
    if workspace is None:
        return None
    with context.store.read() as connection:
        return policy.target(context, connection, workspace).id


def _resume(context: Context, path: Path, client: str, target: int | None) -> int:
    """Where to read on: from the start when the file is another one now, or is meant for another workspace."""
    with context.store.read() as connection:
        mark = sources.get(connection, str(path))
    if mark is None or mark.client != client or mark.file_id != _file_id(path):
        return 0
    if target is not None and target != mark.workspace:
        return 0
    return resume_at(path, mark.position, mark.tail_hash)


def _routed(
    context: Context,
    reading: Reading,
    route: Route,
    count: _Count,
    *,
    dry_run: bool,
) -> Iterator[Incoming]:
    """The values of a file, each turn with its workspace; what is paused or broken is counted and left out."""
    slugs: dict[str, str | None] = {}
    for one in reading:
        match one:
            case Rejected():
                if not reading.unfinished:
                    count.reject([one])
                continue
            case SessionInfo():
                slug = _slug(context, route, one.cwd, dry_run=dry_run)
                if slug is not None and route.workspace is None:
                    slug = _moved(context, one.external_id) or slug
                slugs[one.external_id] = slug
                if slug is None:
                    continue
                one = replace(one, workspace=slug)
            case IncomingTurn():
                if one.session not in slugs:
                    slugs[one.session] = _slug(context, route, None, dry_run=dry_run)
                if (slug := slugs[one.session]) is None:
                    count.left_out += 1
                    continue
                one = replace(one, workspace=slug)
        yield one


def _slug(context: Context, route: Route, cwd: str | None, *, dry_run: bool) -> str | None:
    """The workspace of a session, or None when nothing of it is to be kept."""
    folder = route.place(cwd) if cwd else route.cwd
    if any(route.paused(place) for place in (folder, route.cwd) if place is not None):
        return None
    if route.workspace or folder is None:
        return route.workspace or policy.INBOX
    if dry_run:
        return folders.workspace_of(context.store, folder) or policy.INBOX
    return governed.claim(context, folder) or policy.INBOX


def _moved(context: Context, external_id: str) -> str | None:
    """Where a conversation goes on that somebody moved to another workspace than that of its folder."""
    if not UNGUESSABLE.search(external_id):
        return None
    with context.store.read() as connection:
        found = [
            place.slug
            for place in policy.reached(context, connection)
            if sessions.by_external(connection, place.id, external_id)
            and connection.one("workspace_moved_into", {"workspace": place.id})
        ]
    return found[0] if len(found) == 1 else None


def _remember_place(context: Context, path: Path, client: str, reading: Reading, workspace: int | str) -> None:
    """Keep how far the file was read."""
    with context.store.write() as connection:
        number = workspace if isinstance(workspace, int) else None
        if isinstance(workspace, str):
            place = workspaces.by_slug(connection, workspace)
            number = place.id if place else None
        if number is None:
            raise InvalidInput(f"There is no workspace {workspace!r}.", "Make it with `muniment workspace add`.")
        position, tail = reading.offset, reading.tail_hash or ""
        size = max(_status(path).st_size, position + 1) if reading.more else position
        sources.put(connection, sources.Mark(number, str(path), client, _file_id(path), size, position, tail, context.now()))


def _main(kept: turns.Kept) -> str:
    """The workspace a file counts to: the first that its turns went to."""
    return min(kept.workspaces, default=policy.INBOX)


def _give_up(context: Context, mark: sources.Mark) -> None:
    """A file that is gone holds nothing more to wait for, nor does one whose workspace was archived."""
    if mark.position < mark.size:
        with context.store.write() as connection:
            sources.put(connection, replace(mark, size=mark.position))


def _file_id(path: Path) -> str:
    status = _status(path)
    return f"{status.st_dev}:{status.st_ino}"


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as fault:
        raise InvalidInput(f"{path} cannot be read ({fault.strerror}).", "Name a file that you may read.") from fault
