"""The second lock of SQLite: a connection that sees and changes the rows of declared workspaces only.

Every name of a scoped table means a view on such a connection, an authorizer lets nothing but these views read the table,
and triggers look at each row that is written. No statement can take this away: the names of the views are random, and the
authorizer refuses to change them.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

import apsw

from muniment.store.connections import Reach, Row, Values
from muniment.store.walls import OPEN, SCOPED, Scoped, Sort

BEYOND = "beyond the walls"
# Where a row of each sort may be written: the temporary table that holds the workspaces.
MAY_CHANGE: dict[Sort, str] = {"content": "writable", "work": "allowed"}
_TARGET = re.compile(r"\b(INSERT (?:OR [A-Z]+ )?INTO|REPLACE INTO|(?<!DO )UPDATE|DELETE FROM) ([a-z]\w*)")
# A view has no index to be told of, so that each hint gets a view of its own.
_HINT = re.compile(r"\b([a-z]\w*)((?: [a-z]\w*)?) INDEXED BY ([a-z]\w*)")
_WRITES = frozenset({apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE})
_HARMLESS = frozenset({apsw.SQLITE_SELECT, apsw.SQLITE_TRANSACTION, apsw.SQLITE_RECURSIVE})
_LISTS = "json_each"

_SCOPED = {table.name: table for table in SCOPED}
_OPEN = {table.name: table for table in OPEN}


@dataclass(frozen=True, slots=True)
class Statement:
    """A named statement for a walled connection, the scoped table that it changes, and the tables it reads by a given index."""

    sql: str
    target: str
    hints: frozenset[tuple[str, str]]


def walled(sql: str) -> Statement:
    """What a statement reads goes through the views as it stands; what it changes has to be the table itself."""
    target = ""

    def qualified(match: re.Match[str]) -> str:
        nonlocal target
        if match[2] not in _SCOPED:
            return match[0]
        target = match[2]
        return f"{match[1]} main.{match[2]}"

    hints = frozenset((table, index) for table, _, index in _HINT.findall(sql))
    return Statement(_TARGET.sub(qualified, _HINT.sub(r"\1_by_\3\2", sql)), target, hints)


@dataclass(frozen=True, slots=True)
class _Sight:
    """The one view that may read a table, by an index where a statement insists on it, and the plain name that leads to it."""

    table: Scoped
    mark: str
    index: str = ""

    @property
    def name(self) -> str:
        return f"{self.table.name}_by_{self.index}" if self.index else self.table.name

    @property
    def inner(self) -> str:
        return f"{self.mark}_{self.name}"

    def views(self) -> tuple[str, str]:
        # The plus and the likelihood keep it out of the planner's sums: each statement is searched for as without the view.
        seen = f"likelihood(+{self.table.column} IN (SELECT workspace FROM temp.allowed), 1.0)"
        if self.table.also:
            seen = f"({seen} OR {self.table.also})"
        if self.table.column == "id":
            # SQLite asks the authorizer about a table of which only the row's number is read as if there were no view.
            seen += " AND uid <> ''"
        table = f"main.{self.table.name}{f' INDEXED BY {self.index}' if self.index else ''}"
        return (
            f"CREATE TEMP VIEW {self.inner} AS SELECT * FROM {table} WHERE {seen}",
            f"CREATE TEMP VIEW {self.name} AS SELECT * FROM temp.{self.inner}",
        )


class Fences:
    """Puts connections of one store behind the lock. The names of the views are this store's own, and nobody's to guess."""

    def __init__(self, statements: dict[str, str]) -> None:
        self._mark = f"w{secrets.token_hex(8)}"
        self.statements = {name: walled(sql) for name, sql in statements.items()}
        hints = {hint for statement in self.statements.values() for hint in statement.hints}
        self._sights = [_Sight(table, self._mark) for table in SCOPED]
        self._sights += [_Sight(_SCOPED[name], self._mark, index) for name, index in sorted(hints)]

    def raise_on(self, connection: apsw.Connection, *, writes: bool) -> Fenced:
        """Lock an open connection. Nothing is allowed on it until a reach is declared."""
        connection.pragma("recursive_triggers", 1)  # a REPLACE takes rows away, which the triggers have to see
        keys = _keys(connection)
        for table in MAY_CHANGE.values():
            drain(connection.execute(f"CREATE TEMP TABLE {table} (workspace INTEGER PRIMARY KEY)"))
        for sight in self._sights:
            for sql in sight.views():
                drain(connection.execute(sql))
        for sql in (sql for table in SCOPED for sql in self._triggers(table)) if writes else ():
            drain(connection.execute(sql))
        fenced = Fenced(connection, self.statements)
        connection.authorizer = _Authorizer(fenced, self._sights, self._mark, keys, writes)
        return fenced

    def _triggers(self, table: Scoped) -> Iterable[str]:
        may = f"(SELECT workspace FROM temp.{MAY_CHANGE[table.sort]})"
        rows = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}
        for act, sides in rows.items():
            beyond = " OR ".join(f"{side}.{table.column} NOT IN {may}" for side in sides)
            yield (
                f"CREATE TEMP TRIGGER {self._mark}_{table.name}_{act.lower()} BEFORE {act} ON main.{table.name} "
                f"WHEN {beyond} BEGIN SELECT RAISE(ABORT, '{BEYOND}'); END"
            )


class Fenced:
    """One walled connection: named statements, and the reach that it declared last."""

    __slots__ = ("_declared", "_statements", "connection", "declaring", "target")

    def __init__(self, connection: apsw.Connection, statements: dict[str, Statement]) -> None:
        self.connection = connection
        self.target = ""
        self.declaring = False
        self._statements = statements
        self._declared: Reach | None = None

    def within(self, reach: Reach) -> bool:
        """Whether the connection declared this reach."""
        return reach == self._declared

    def declare(self, reach: Reach) -> None:
        """Swap the workspaces of the connection, outside of a transaction. Between two of them it reaches nothing."""
        if reach == self._declared:
            return
        self._declared = None
        self.declaring = True
        try:
            for table, numbers in (("allowed", reach.read), ("writable", reach.write)):
                # A statement that was kept would be there for others too, who may not run it.
                rows = json.dumps(sorted(numbers))
                drain(self.connection.execute(f"DELETE FROM temp.{table}", can_cache=False))
                insert = f"INSERT INTO temp.{table} SELECT value FROM json_each(?)"
                drain(self.connection.execute(insert, (rows,), can_cache=False))
        finally:
            self.declaring = False
        self._declared = reach

    def run(self, name: str, values: Values | None = None) -> None:
        drain(self.connection.execute(self._named(name), values))

    def many(self, name: str, rows: Iterable[Values]) -> None:
        # The rows may come from a generator that runs statements of its own.
        listed = list(rows)
        drain(self.connection.executemany(self._named(name), listed))

    def one(self, name: str, values: Values | None = None) -> Row | None:
        cursor = self.connection.execute(self._named(name), values)
        row: Row | None = cursor.fetchone()
        drain(cursor)
        return row

    def all(self, name: str, values: Values | None = None) -> list[Row]:
        return self.connection.execute(self._named(name), values).fetchall()

    def _named(self, name: str) -> str:
        statement = self._statements[name]
        self.target = statement.target
        return statement.sql


class _Authorizer:
    """Says of each thing that a statement is about to do whether a walled connection may. What is not listed is refused."""

    __slots__ = ("_fenced", "_inner", "_keys", "_names", "_triggers", "_writes")

    def __init__(self, fenced: Fenced, sights: list[_Sight], mark: str, keys: frozenset[tuple[str, str]], writes: bool) -> None:
        self._fenced = fenced
        self._keys = keys
        self._writes = writes
        self._inner = {sight.inner: sight.table.name for sight in sights}
        self._triggers = {f"{mark}_{name}_{act}" for name in _SCOPED for act in ("insert", "update", "delete")}
        self._names = {*(sight.name for sight in sights), *self._inner, *MAY_CHANGE.values()}

    def __call__(self, act: int, one: str | None, two: str | None, base: str | None, inside: str | None) -> int:
        allowed = self._fenced.declaring or self._allows(act, one or "", two or "", base, inside)
        return apsw.SQLITE_OK if allowed else apsw.SQLITE_DENY

    def _allows(self, act: int, one: str, two: str, base: str | None, inside: str | None) -> bool:
        if act in _HARMLESS:
            return True
        if act == apsw.SQLITE_FUNCTION:
            return two != "load_extension"
        if act == apsw.SQLITE_READ:
            return self._reads(one, two, base, inside)
        return act in _WRITES and self._writes and base == "main" and self._changes(act, one)

    def _reads(self, table: str, column: str, base: str | None, inside: str | None) -> bool:
        if base == "temp":
            return table in self._names
        if table == _LISTS:
            return True
        if table in _OPEN:
            return column not in _OPEN[table].hidden
        if table not in _SCOPED:
            return False
        if inside is not None:
            return self._inner.get(inside) == table or inside in self._triggers
        # A change looks for its rows in the table itself, and for the rows that refer to them: triggers and keys bound both.
        target = self._fenced.target
        return self._writes and bool(target) and (table == target or (table, column) in self._keys)

    def _changes(self, act: int, table: str) -> bool:
        if table in _OPEN:
            return _OPEN[table].changes
        return table in _SCOPED and table == self._fenced.target and (table != "workspace" or act == apsw.SQLITE_UPDATE)


def _keys(connection: apsw.Connection) -> frozenset[tuple[str, str]]:
    """The columns by which rows refer to each other: numbers only, which the store compares at every change."""
    found: set[tuple[str, str]] = set()
    for name in _SCOPED:
        for _, _, parent, column, referred, *_ in connection.execute(f"PRAGMA foreign_key_list({name})"):
            found |= {(name, column), (parent, referred or column)}
    return frozenset(found)


def drain(cursor: apsw.Cursor) -> None:
    """Run a statement to its end: apsw does no more than its rows are asked for."""
    for _ in cursor:
        pass
