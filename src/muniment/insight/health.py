"""Whether a store is well: what was looked at, what is wrong, and what to do about it. Looking changes nothing.

A finding that is not ok always says what to run or to change.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from muniment.access import events
from muniment.context import Context
from muniment.errors import EngineUnavailable, MunimentError
from muniment.governance import changes, ledger, marks, proof
from muniment.index import postings, rosters
from muniment.model.access import Workspace
from muniment.model.times import HOUR_MS
from muniment.store import generations, workspaces
from muniment.store.connections import Connection
from muniment.text.counts import counted

Level = Literal["ok", "warn", "fail"]
LEVELS: tuple[Level, ...] = ("ok", "warn", "fail")

DISK_BYTES_WARN = 1_000_000_000
DISK_BYTES_FAIL = 100_000_000
# A write-ahead log this long is one that no checkpoint could shorten: some reader never ends.
WAL_BYTES_WARN = 256_000_000
BACKLOG_WARN = 1000
# Scans that are switched on and did not happen for so many of their intervals have no worker.
SCANS_LATE = 2
COVERAGE_OK = 0.999
FAILING_SHOWN = 5
# What each database has to run with: SQLite's pragmas as Muniment sets them, PostgreSQL's settings as its owner did.
WANTED = {
    "journal_mode": ("wal",),
    "synchronous": ("1", "2"),
    "foreign_keys": ("1",),
    "fsync": ("on",),
    "full_page_writes": ("on",),
    "server_encoding": ("UTF8",),
}
CHECKS = ("quick_check", "integrity_check")
FAULTS = ("foreign_key_faults", "foreign_keys_unchecked")
# Of what does not stand as the ledger says, so many are named in one workspace.
DRIFT_SHOWN_MAX = 10
_PAST = "Somebody wrote to the database past Muniment. Compare with a backup before you trust what changed."
_REBUILD = "Run `muniment rebuild --workspace {slug}`; the texts are complete."


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `what` is in plain words; `do_next` is empty only when all is well."""

    level: Level
    what: str
    why: str = ""
    do_next: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    """Everything that was looked at, in order."""

    findings: tuple[Finding, ...]

    @property
    def level(self) -> Level:
        """The worst of all."""
        return max((one.level for one in self.findings), key=LEVELS.index, default="ok")


def examine(context: Context, deep: bool = False) -> Health:
    """Look at the store and what depends on it. `deep` also reads the whole file, every ledger row and the embedder.

    Faults are findings; only a store that cannot be opened at all is an error, raised before this is called.
    """
    found: list[Finding] = []
    checks = (
        _writable,
        _disk,
        _private,
        _audit,
        _walls,
        _forgotten,
        _ledger,
        _access,
        _standing,
        _index,
        _meaning,
        _jobs,
        _scanned,
    )
    for check in checks:
        try:
            found += check(context, deep)
        except MunimentError as fault:
            found.append(Finding("fail", _name(check), fault.message, fault.do_next))
    if deep:
        found += _embedder(context)
    return Health(tuple(found))


def _name(check: Callable[..., object]) -> str:
    return str(check.__doc__ or "").strip().partition(".")[0]


def _writable(context: Context, deep: bool) -> Iterator[Finding]:
    """The store can be written."""
    if context.read_only:
        yield Finding("ok", "The store is only read here, as the setting read_only says.")
        return
    begun = time.monotonic()
    with context.store.write():
        waited = time.monotonic() - begun
    yield Finding("ok", f"The store can be written ({waited * 1000:.0f} ms): {context.store.where}")


def _disk(context: Context, deep: bool) -> Iterator[Finding]:
    """There is room on the disk."""
    path = context.store.path
    if path is None:
        return
    free = shutil.disk_usage(path.parent).free
    size = context.store.bytes() or 0
    level: Level = "fail" if free < DISK_BYTES_FAIL else "warn" if free < max(DISK_BYTES_WARN, size) else "ok"
    advice = "" if level == "ok" else "Free some disk space, or move the store and name its new place in the setting `store`."
    yield Finding(level, f"{free / 1e9:.1f} GB of disk are free; the store takes {size / 1e6:.1f} MB.", "", advice)
    wal = Path(f"{path}-wal")
    if wal.exists() and wal.stat().st_size > WAL_BYTES_WARN:
        why = f"The write-ahead log has {wal.stat().st_size / 1e6:.0f} MB: some reader never ends."
        yield Finding("warn", "The write-ahead log has grown.", why, "Restart the clients and servers that use the store.")


def _private(context: Context, deep: bool) -> Iterator[Finding]:
    """Nobody else on this machine can read the store."""
    path = context.store.path
    if path is None or os.name != "posix":
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        why = f"Its mode is {mode:03o}, and memory holds what people said."
        yield Finding("warn", "Other users of this machine may read the store.", why, f"Run `chmod 600 '{path}'`.")
    else:
        yield Finding("ok", "Only you can read the store.")


def _audit(context: Context, deep: bool) -> Iterator[Finding]:
    """The database is sound."""
    facts = dict(context.store.audit(deep))
    wrong = [f"{name} is {facts[name]}" for name, good in WANTED.items() if name in facts and facts[name] not in good]
    if wrong:
        advice = "Update Muniment, or ask the owner of the database server."
        yield Finding("fail", "The database runs with settings that can lose writes.", "; ".join(wrong), advice)
    damaged = [facts[name] for name in CHECKS if facts.get(name, "ok") != "ok"]
    if damaged:
        advice = "Stop all clients, keep a copy of the file, and restore a backup."
        yield Finding("fail", "The database file is damaged.", damaged[0][:500], advice)
    loose = sum(int(facts.get(name, "0")) for name in FAULTS)
    if loose:
        yield Finding("fail", "Rows point to rows that are not there.", f"{loose} of them.", "Restore a backup.")
    if not (wrong or damaged or loose):
        yield Finding("ok", "The database is sound" + (" (every page was read)." if deep else "."))


def _walls(context: Context, deep: bool) -> Iterator[Finding]:
    """The walls between workspaces hold everybody who serves."""
    facts = dict(context.store.audit(False))
    if "login_role" not in facts:
        return
    role, unwalled = facts["login_role"], int(facts["tables_unwalled"])
    if facts["role_unsafe"]:
        advice = "Serve with a role that owns nothing; docs/howto/postgres-roles.md says how one is made."
        yield Finding("fail", f"No wall holds the role {role}: it {facts['role_unsafe']}.", "", advice)
    if unwalled:
        why = "Row-level security was switched off there, or is not forced."
        yield Finding(
            "fail", f"{counted(unwalled, 'table')} stand open.", why, "Run `muniment upgrade` with MUNIMENT_STORE_ADMIN."
        )
    if facts["admin_address"]:
        why = "Whoever takes over this process may then take down every wall."
        advice = "Keep MUNIMENT_STORE_ADMIN for `init`, `upgrade` and `repair cleanup`, away from what serves."
        yield Finding("warn", "The address of the tables' owner is set in this process.", why, advice)
    if not (facts["role_unsafe"] or unwalled):
        yield Finding("ok", f"The role {role} owns nothing, and every table keeps workspaces apart.")


def _forgotten(context: Context, deep: bool) -> Iterator[Finding]:
    """Nothing is left of what was forgotten."""
    with context.store.read() as connection:
        since = marks.unclean_since(connection)
    if since is None:
        return
    why = "Deleting leaves bytes behind until the files are written anew; another program was reading them."
    if context.store.path is None:
        why = "A server's write-ahead log, archives and replicas keep them; its administrator has a part in this."
    advice = "Run `muniment repair cleanup`; docs/howto/forget.md says more."
    yield Finding("warn", "The store's files may still hold bytes of what was forgotten.", why, advice)


def _ledger(context: Context, deep: bool) -> Iterator[Finding]:
    """The ledger's chains hold."""
    with context.store.read() as connection:
        places = workspaces.all_of(connection)
        broken = [(place.slug, seq) for place in places if (seq := ledger.broken(connection, place.id)) is not None]
        if deep:
            altered = [(place.slug, seq) for place in places if (seq := changes.altered(connection, place.id)) is not None]
            broken += [one for one in altered if one[0] not in dict(broken)]
    for slug, seq in broken:
        why = "Its hash does not follow from the one before."
        yield Finding("fail", f"The ledger of {slug} is broken at action {seq}.", why, _PAST)
    if not broken:
        yield Finding("ok", f"The ledgers of {counted(len(places), 'workspace')} hold.")


def _access(context: Context, deep: bool) -> Iterator[Finding]:
    """The access log's chain holds."""
    with context.store.read() as connection:
        seq = events.broken(connection)
    if seq is None:
        yield Finding("ok", "The access log holds.")
    else:
        yield Finding("fail", f"The access log is broken at event {seq}.", "It is missing, or not as it was written.", _PAST)


def _standing(context: Context, deep: bool) -> Iterator[Finding]:
    """What stands is what the ledger adds up to."""
    if not deep:
        return
    sound = True
    with context.store.read() as connection:
        for place in workspaces.all_of(connection):
            for one in islice(proof.drift(connection, place.id), DRIFT_SHOWN_MAX):
                sound = False
                why = f"Its {one.field} is {one.held!r}; by the ledger it is {one.told!r}."
                yield Finding("fail", f"A {one.sort} of {place.slug} is not what the ledger says ({one.target}).", why, _PAST)
    if sound:
        yield Finding("ok", "Everything stands as the ledger says.")


def _index(context: Context, deep: bool) -> Iterator[Finding]:
    """The index agrees with the records."""
    sound, passages = True, 0
    with context.store.read() as connection:
        for place in workspaces.all_of(connection):
            why, count = _disagreement(connection, place, deep)
            passages += count
            if why:
                sound = False
                yield Finding(
                    "fail", f"The index of {place.slug} does not agree with its records.", why, _REBUILD.format(slug=place.slug)
                )
    if sound:
        yield Finding("ok", f"The index agrees with the records ({counted(passages, 'passage')}).")


def _disagreement(connection: Connection, place: Workspace, deep: bool) -> tuple[str, int]:
    """What does not fit together in one workspace's index, and how many passages it has."""
    row = connection.one("derived_counts", {"workspace": place.id})
    assert row is not None, "a statement without FROM has one row"
    passages, first, last, roster_bytes, roster_first, roster_last, posting_bytes = row
    _, given = workspaces.stamp(connection, place.id)
    entries = roster_bytes // rosters.ROW.size
    gone = rosters.gone(connection, place.id) if entries != passages else 0
    if entries != passages + gone:
        return f"{counted(passages, 'passage')}, but {entries - gone:,} entries in the rosters.", passages
    outside = passages and not roster_first <= first <= last <= roster_last
    if entries != roster_last - roster_first + 1 or outside or roster_last > given:
        return (
            f"{counted(passages, 'passage')} from {first:,} to {last:,}; "
            f"the rosters go from {roster_first:,} to {roster_last:,}, {given:,} were given.",
            passages,
        )
    if posting_bytes % postings.ENTRY_BYTES:
        return "A block of postings is cut short.", passages
    if passages and not posting_bytes:
        return "There are passages, but not one word is indexed.", passages
    if deep:
        missing = connection.one("records_unindexed", {"workspace": place.id})
        if missing and missing[0]:
            return f"{missing[0]:,} active records have no passage.", passages
    return "", passages


def _meaning(context: Context, deep: bool) -> Iterator[Finding]:
    """Vectors cover what is stored."""
    from muniment.index import generations as index

    with context.store.read() as connection:
        places = [place.id for place in workspaces.all_of(connection)]
        found = [index.coverage(connection, one, places) for one in generations.wanted(connection)]
    if context.engines.off:
        yield Finding(
            "warn", "Meaning is switched off in this process.", context.engines.off, "Remove the setting embedder=none."
        )
    if not found:
        yield Finding("warn", "The store has no embedder; words alone answer.", "", "Run `muniment embedder set use`.")
    for one in found:
        share = one.done / one.wanted if one.wanted else 1.0
        left = one.wanted - one.done
        what = (
            f"{share:.1%} of {counted(one.wanted, 'passage')} have a vector of {one.generation.name} ({one.generation.state})."
        )
        level: Level = "ok" if share >= COVERAGE_OK or left < BACKLOG_WARN else "warn"
        yield Finding(level, what, "", "Run `muniment worker --drain`." if level == "warn" else "")


def _jobs(context: Context, deep: bool) -> Iterator[Finding]:
    """No work has failed."""
    with context.store.read() as connection:
        waiting = connection.all("jobs_waiting")
        failing = connection.all("jobs_failing", {"limit": FAILING_SHOWN})
    for job, attempts, error in failing:
        advice = "Run `muniment embedder test`, then `muniment worker --drain`."
        yield Finding("warn", f"The job {job} failed {counted(attempts, 'time')}.", str(error or "")[:500], advice)
    if not failing:
        yield Finding("ok", f"{_waiting(sum(row[1] for row in waiting))}; none has failed.")


def _scanned(context: Context, deep: bool) -> Iterator[Finding]:
    """Everything was looked through for conflicts."""
    from muniment.governance import detect

    with context.store.read() as connection:
        places = [place for place in workspaces.all_of(connection) if place.state != "archived"]
        behind = [place.slug for place in places if detect.required(connection, place.id)]
        wanted = SCANS_LATE * context.scan_every_hours * HOUR_MS
        late = wanted > 0 and any(context.now() - detect.scanned_at(connection, place.id) >= wanted for place in places)
    if behind:
        what = f"scan_required: records of {counted(len(behind), 'workspace')} changed since the last full scan for conflicts."
        advice = f"Run `muniment govern scan --workspace {behind[0]}`, or set scan_every_hours."
        # Nobody is alarmed by what nobody switched on: without a schedule, strict looks at what is written still go on.
        yield Finding("warn" if late else "ok", what, ", ".join(behind[:FAILING_SHOWN]), advice)
    else:
        yield Finding("ok", "Everything was looked through for conflicts.")


def _waiting(count: int) -> str:
    return f"{counted(count, 'job')} {'waits' if count == 1 else 'wait'}"


def _embedder(context: Context) -> Iterator[Finding]:
    """The live embedder makes vectors of the dimension that the store holds."""
    with context.store.read() as connection:
        live = generations.live(connection)
    if live is None or context.engines.off:
        return
    from muniment.index import embedding

    try:
        rows: Any = context.engines.embedder(embedding.spec_of(live), live.api_key).encode(["Is anybody there?"], query=True)
    except EngineUnavailable as fault:
        yield Finding("fail", f"The embedder {live.name} cannot be used.", fault.message, fault.do_next)
        return
    if rows.shape != (1, live.dimension):
        why = f"It answers with {rows.shape[-1]} dimensions; the store holds {live.dimension}."
        yield Finding("fail", f"The embedder {live.name} is another one now.", why, "Run `muniment embedder set` again.")
    else:
        yield Finding("ok", f"The embedder {live.name} loads and answers with {live.dimension} dimensions.")
