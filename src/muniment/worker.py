"""What is done after an answer was given: vectors, merging, imports. Every job may be repeated without harm.

One worker at a time holds the lease of a store. A job that fails waits longer each time and says why in `doctor`.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass

from muniment.access.oauth import sweeping
from muniment.context import Context
from muniment.errors import MunimentError, StoreError
from muniment.governance import consolidation
from muniment.graph import claims
from muniment.index import embedding, generations, postings, rosters
from muniment.model.times import HOUR_MS, MINUTE_MS, SECOND_MS
from muniment.store import generations as stored
from muniment.store import workspaces

LEASE = "worker"
LEASE_MS = MINUTE_MS
IDLE_S = 2.0
JOBS_AT_ONCE = 16
JOBS_LOOKED_AT = 256
BACK_OFF_MS = 30 * SECOND_MS
BACK_OFF_MS_MAX = HOUR_MS

_log = logging.getLogger("muniment.worker")


@dataclass(frozen=True, slots=True)
class Drained:
    """`left` counts jobs that could not be done now; `why` the reason of the last one."""

    done: int
    left: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Job:
    id: int
    workspace: int
    job: str
    first: int
    last: int
    attempts: int


def run(context: Context, stop: threading.Event) -> None:
    """Work until told to stop. Does nothing in a store that is only read."""
    while not stop.is_set() and not context.read_only:
        try:
            schedule(context)
            drain(context, stop=stop)
        except MunimentError as fault:
            _log.warning("the worker waits: %s", fault)
        except Exception:  # a job must never take the server down with it
            _log.exception("the worker met an error")
        stop.wait(IDLE_S)


def drain(context: Context, *, progress: Callable[[int], None] | None = None, stop: threading.Event | None = None) -> Drained:
    """Do the jobs that are due, oldest first, until none is left. `progress` hears of every passage embedded."""
    if context.read_only:
        return Drained(0, _left(context), "The store is only read here.")
    # A restarted process may have the number of the one before it, and threads of one process share it.
    holder = f"{socket.gethostname()}:{os.getpid()}:{context.uid()}"
    go_on: Callable[[], bool] = lambda: not (stop and stop.is_set()) and _lease(context, holder)  # noqa: E731
    claims.catch_up(context)
    done, why = 0, f"The embedder is {context.engines.off}." if context.engines.off else ""
    try:
        if go_on():
            consolidation.sweep(context)
            sweeping.sweep(context)
        while go_on() and (jobs := _due(context)):
            for job in jobs:
                if not go_on():
                    break
                try:
                    done += _do(context, job, progress, go_on)
                except StoreError:
                    raise  # not the job's fault: it stays as it is
                except Exception as fault:  # one job must not keep the others from being done
                    why = str(fault) or type(fault).__name__
                    if not isinstance(fault, MunimentError):
                        _log.exception("a job %r failed", job.job)
                    _postpone(context, job, why)
    finally:
        with context.store.write() as connection:
            connection.run("lease_drop", {"name": LEASE, "holder": holder})
    left = _left(context)
    return Drained(done, left, why if left else "")


def hurry(context: Context, places: Collection[int], most: int) -> int:
    """Make the vectors that a few new passages of some workspaces wait for, and answer how many were made.

    For a command that is about to ask and waits for the model anyway. It takes no lease, since a vector is the same whoever
    makes it, and leaves the jobs to the worker. Where more than `most` passages wait, or an embedder fails, nothing is done.
    """
    if context.read_only or context.engines.off:
        return 0
    with context.store.read() as connection:
        rows = connection.all("jobs_due", {"now": context.now(), "but": "", "limit": JOBS_LOOKED_AT})
        generation = stored.live(connection)
    jobs = [job for job in (_Job(*row) for row in rows) if job.job == "embed" and job.workspace in places]
    waiting = sum(job.last - job.first + 1 for job in jobs)
    if generation is None or not 0 < waiting <= most or len(rows) == JOBS_LOOKED_AT:
        return 0
    made = 0
    try:
        embedder = context.engines.embedder(embedding.spec_of(generation), generation.api_key)
        for job in jobs:
            made += embedding.embed(context, embedder, job.workspace, generation.id, job.first, job.last)
    except MunimentError as fault:
        _log.info("new passages wait for the worker: %s", fault)  # which says it again, and doctor with it
    return made


def _left(context: Context) -> int:
    with context.store.read() as connection:
        return sum(row[1] for row in connection.all("jobs_waiting"))


def _do(context: Context, job: _Job, progress: Callable[[int], None] | None, go_on: Callable[[], bool]) -> int:
    match job.job:
        case "embed":
            return _embed(context, job, progress, go_on)
        case "merge":
            _merge(context, job)
        case claims.JOB:
            _claims(context, job, go_on)
        case "notice":
            from muniment.governance import detect

            detect.notice(context, job.workspace, job.first)
            _finished(context, job)
        case "scan":
            _scan(context, job, go_on)
        case "consolidate":
            _consolidate(context, job)
        case unknown:
            _log.warning("a job %r is left to a newer Muniment", unknown)
            _postpone(context, job, "unknown to this version")
    return 0


def _embed(context: Context, job: _Job, progress: Callable[[int], None] | None, go_on: Callable[[], bool]) -> int:
    """Vectors for a run of passages in every generation that wants them, a batch at a time.

    Stops where `go_on` says so: when it is told to, and when another worker holds the lease by now.
    """
    with context.store.read() as connection:
        wanted = stored.wanted(connection)
    made = 0
    for first in range(job.first, job.last + 1, embedding.BATCH):
        if not go_on():
            return made
        last = min(first + embedding.BATCH - 1, job.last)
        for generation in wanted:
            embedder = context.engines.embedder(embedding.spec_of(generation), generation.api_key)
            made += embedding.embed(context, embedder, job.workspace, generation.id, first, last)
        with context.store.write() as connection:
            if last == job.last:
                connection.run("job_done", {"id": job.id})
            else:
                connection.run("job_shrink", {"id": job.id, "first": last + 1})
        if progress:
            progress(last - first + 1)
    generations.flip_if_complete(context)
    return made


def _claims(context: Context, job: _Job, go_on: Callable[[], bool]) -> None:
    """Read what a run of records states, a page at a time."""
    first = job.first
    while first <= job.last and go_on():
        first = claims.work(context, job.id, job.workspace, first, job.last)


def _merge(context: Context, job: _Job) -> None:
    with context.store.write() as connection:
        workspaces.hold(connection, job.workspace)
        rosters.merge(connection, job.workspace)
        joined = postings.merge(connection, job.workspace)
        for generation in stored.wanted(connection):
            block = workspaces.take(connection, job.workspace, blocks=1).blocks
            embedding.merge(connection, job.workspace, generation.id, block)
        if joined < postings.MERGED_AT_ONCE:
            connection.run("job_done", {"id": job.id})


def _scan(context: Context, job: _Job, go_on: Callable[[], bool]) -> None:
    """Look for conflicts; a scan that was told to stop goes on from there with the next worker."""
    from muniment.governance import detect

    with context.store.read() as connection:
        place = next((one for one in workspaces.all_of(connection) if one.id == job.workspace), None)
    if place is None or detect.scan(context, place, go_on=go_on)["complete"]:
        _finished(context, job)


def _consolidate(context: Context, job: _Job) -> None:
    """Apply what was accepted. A job of a workspace whose work was done with an earlier one finds nothing left to do."""
    with context.store.read() as connection:
        place = next((one for one in workspaces.all_of(connection) if one.id == job.workspace), None)
    if place is not None:
        consolidation.consolidate(context, place)
    _finished(context, job)


def _finished(context: Context, job: _Job) -> None:
    with context.store.write() as connection:
        connection.run("job_done", {"id": job.id})


def schedule(context: Context) -> None:
    """Ask for a scan of every workspace whose time has come, if scans are switched on."""
    if not context.scan_every_hours:
        return
    from muniment.governance import detect
    from muniment.store import scans

    every = context.scan_every_hours * HOUR_MS
    with context.store.read() as connection:
        places = [one for one in workspaces.all_of(connection) if one.state != "archived"]
        due = [one.id for one in places if detect.due(connection, one.id, context.now(), every)]
    for workspace in due:
        with context.store.write() as connection:
            workspaces.hold(connection, workspace)
            if not scans.job_waits(connection, workspace, "scan", 1):
                values = {"workspace": workspace, "job": "scan", "first": 1, "last": 1}
                connection.run("job_add", values | {"not_before": context.now()})


def _due(context: Context) -> list[_Job]:
    """The jobs whose time has come; where the embedder is off, the others: another process may have it."""
    but = "embed" if context.engines.off else ""
    with context.store.read() as connection:
        return [_Job(*row) for row in connection.all("jobs_due", {"now": context.now(), "but": but, "limit": JOBS_AT_ONCE})]


def _postpone(context: Context, job: _Job, why: str) -> None:
    wait = min(BACK_OFF_MS * 2**job.attempts, BACK_OFF_MS_MAX)
    with context.store.write() as connection:
        connection.run("job_failed", {"id": job.id, "not_before": context.now() + wait, "error": why})


def _lease(context: Context, holder: str) -> bool:
    """Take or keep the lease; False while another worker holds it."""
    now = context.now()
    with context.store.write() as connection:
        values = {"name": LEASE, "holder": holder, "until": now + LEASE_MS, "now": now}
        return connection.one("lease_take", values) is not None
