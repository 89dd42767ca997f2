"""SQL lives in .sql files; this module gives it names.

A statement starts with a line `-- name`; comment lines may follow. A statement in a dialect's folder
replaces the common one of the same name, so both stores answer to the same names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "sql"
_STATEMENT = re.compile(r"^-- ([a-z]\w*)\n((?:-- .*\n)*)", re.MULTILINE)
# A parameter is :name, but not the second colon of a cast (::bigint) nor text in quotes.
_PARAMETER = re.compile(r"('[^']*')|(?<!:):([a-z]\w*)")
_BULK = re.compile(r"(INSERT INTO \w+ \([^()]*\)\s+VALUES\s+)\(((?:\s*:\w+,?)+)\)(\s+ON CONFLICT DO NOTHING)?")


@dataclass(frozen=True, slots=True)
class Insert:
    """An INSERT that may carry many rows: `names` are its values in their order."""

    head: str
    names: tuple[str, ...]
    tail: str

    def sql(self, rows: int) -> str:
        """The statement for that many rows, with `$1`, `$2`, … for their values one after another."""
        width = len(self.names)
        numbered = (", ".join(f"${row * width + place}" for place in range(1, width + 1)) for row in range(rows))
        return f"{self.head}({'), ('.join(numbered)}){self.tail}"


def load(dialect: str) -> dict[str, str]:
    """Every statement of a dialect (`sqlite` or `postgres`) by name, with `:name` parameters."""
    statements: dict[str, str] = {}
    for folder in ("common", dialect):
        for path in sorted((FOLDER / folder).glob("*.sql")):
            parts = _STATEMENT.split(path.read_text(encoding="utf-8"))[1:]
            statements |= {name: sql.strip().rstrip(";") for name, sql in zip(parts[::3], parts[2::3], strict=True)}
    return statements


def for_psycopg(sql: str) -> str:
    """Rewrite `:name` as `%(name)s` and double every literal percent sign."""
    return _PARAMETER.sub(lambda match: match[1] or f"%({match[2]})s", sql.replace("%", "%%"))


def parameters(sql: str) -> list[str]:
    """The names of a statement's parameters, in order of appearance."""
    return list(dict.fromkeys(match[2] for match in _PARAMETER.finditer(sql) if match[2]))


def bulk(sql: str) -> Insert | None:
    """The statement as an INSERT of many rows, where each value is a parameter and a row cannot change another one."""
    match = _BULK.fullmatch(sql)
    return Insert(match[1], tuple(parameters(match[2])), match[3] or "") if match else None
