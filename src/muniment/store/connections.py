"""What every connection to a store can do. Stores differ below this line and nowhere above it.

A write happens inside `Store.write()`: one transaction, taken for writing from its first statement, and
either all of it is durable or none. Reads never wait for a writer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

# What to do about a fault that no caller can mend.
DEFECT = "Nothing was stored. This is a defect of Muniment; please report it with these words."

Row = tuple[Any, ...]
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reach:
    """The numbers of the workspaces that a caller's transactions declare: where it may read, and where it may write."""

    read: frozenset[int]
    write: frozenset[int]


class Connection(Protocol):
    """Named statements only. Rows are plain tuples in the order the statement selects."""

    def run(self, name: str, values: Values | None = None) -> None: ...

    def many(self, name: str, rows: Iterable[Values]) -> None: ...

    def one(self, name: str, values: Values | None = None) -> Row | None: ...

    def all(self, name: str, values: Values | None = None) -> list[Row]: ...


class Store(Protocol):
    """One Muniment database. `where` names it for people and holds no secret."""

    dialect: str
    where: str

    @property
    def path(self) -> Path | None:
        """The file, where the store is one."""
        ...

    def within(self, reach: Reach) -> Store:
        """The same store behind the second lock: no statement of it sees or changes a row of any other workspace."""
        ...

    def read(self) -> AbstractContextManager[Connection]:
        """A consistent view of the store for the length of the block."""
        ...

    def write(self) -> AbstractContextManager[Connection]:
        """One transaction. Raises StoreBusy or StoreFull with nothing stored."""
        ...

    def ddl(self) -> AbstractContextManager[Callable[[str], None]]:
        """One transaction for a migration, which is text and not a named statement; nobody else migrates meanwhile."""
        ...

    def version(self) -> list[Row]:
        """The migrations that were applied, as (number, checksum); empty for a new store."""
        ...

    def audit(self, deep: bool) -> list[tuple[str, str]]:
        """Facts about the database that `doctor` judges: (name, value)."""
        ...

    def backup(self, target: Path) -> None:
        """A consistent copy while others go on writing. Raises StoreError where the server makes copies itself."""
        ...

    def clean_up(self) -> bool:
        """Leave nothing in the files of what was deleted. Answers whether that is certain; False asks to be repeated.

        May rewrite all of the store and wait for readers. Not to be called inside of a block."""
        ...

    def bytes(self) -> int | None:
        """How much room the store takes, if that can be told."""
        ...

    def close(self) -> None: ...
