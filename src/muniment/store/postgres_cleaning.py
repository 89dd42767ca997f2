"""Leaving nothing in the files of a PostgreSQL server of what was deleted. Only the owner of the tables can do it.

Safe to repeat, and honest: it answers True only where it knows that nothing is left.
"""

from __future__ import annotations

from psycopg import errors

from muniment.store import privileges
from muniment.store.pool import Server

# How long cleaning waits for those who use a table, while others wait behind it; it can be repeated at any time.
CLEAN_WAIT_MS = 5_000
# Segments of the log that the server may have laid out in advance.
SEGMENTS_AHEAD_MOST = 64


def clean(server: Server) -> bool:
    """Write every table and its statistics anew, and move the write-ahead log past all that was written before.

    For the log it takes a superuser, or a role with pg_checkpoint, pg_monitor and the right to call pg_switch_wal.
    """
    server.execute(f"SET lock_timeout = {CLEAN_WAIT_MS}; SET muniment.read = '*'")
    try:
        return _rewrite(server) and _past_the_log(server)
    finally:
        if not server.closed:
            server.execute("RESET lock_timeout; RESET muniment.read")


def _rewrite(server: Server) -> bool:
    """Whether every table of the store could be rewritten."""
    names = privileges.tables()
    mine = "SELECT count(*) FROM pg_class WHERE oid = ANY (%s::regclass[]) AND pg_has_role(relowner, 'USAGE')"
    owned = server.execute(mine, (names,)).fetchone()
    catalogue = "SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()"
    of_database = server.execute(catalogue).fetchone()
    if not owned or owned[0] < len(names):
        return False
    for name in names:
        server.execute(f"VACUUM (FULL, ANALYZE) {name}")  # a name of our own migrations
        _unlearn(server, name)
    if not of_database or not of_database[0]:
        return False
    server.execute("VACUUM (FULL) pg_statistic")  # it held the most common words as they are
    return True


def _unlearn(server: Server, name: str) -> None:
    """Drop the statistics of an empty table's texts: the server leaves them as they are when it finds no rows."""
    filled = server.execute(f"SELECT EXISTS (SELECT 1 FROM {name})").fetchone()
    if filled and filled[0]:
        return
    known = server.execute(
        "SELECT format('ALTER COLUMN %%I TYPE text COLLATE pg_catalog.%%I', a.attname, c.collname) FROM pg_attribute a "
        "JOIN pg_collation c ON c.oid = a.attcollation "
        "WHERE a.attrelid = %s::regclass AND a.atttypid = 'text'::regtype AND a.attnum > 0 AND NOT EXISTS ("
        # What a policy asks for is a word of ours; its column cannot be changed.
        "SELECT FROM pg_depend d WHERE d.classid = 'pg_policy'::regclass AND d.refobjid = a.attrelid "
        "AND d.refobjsubid = a.attnum)",
        (name,),
    ).fetchall()
    if known:  # a column that is given the type it has is not written anew, but its statistics go
        server.execute(f"ALTER TABLE {name} {', '.join(change for (change,) in known)}")


def _past_the_log(server: Server) -> bool:
    """Move the write-ahead log on to a fresh segment, and past those that were laid out in advance with old bytes in them.

    Answers whether no other segment is left, on a server that hands none on.
    """
    hands_on = server.execute(
        "SELECT current_setting('wal_recycle') = 'on' OR current_setting('archive_mode') <> 'off' "
        "OR EXISTS (SELECT 1 FROM pg_replication_slots) OR EXISTS (SELECT 1 FROM pg_stat_replication)"
    ).fetchone()
    if hands_on is None or hands_on[0]:
        return False
    left = SEGMENTS_AHEAD_MOST + 1
    try:
        while True:
            # A switch does nothing in a segment that nothing was written to.
            server.execute("SELECT pg_logical_emit_message(false, 'muniment', ''), pg_switch_wal()")
            server.execute("CHECKPOINT")
            row = server.execute("SELECT count(*) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'").fetchone()
            before, left = left, int(row[0]) if row else 0
            if left <= 1 or left >= before:
                return left == 1
    except errors.InsufficientPrivilege:
        return False
