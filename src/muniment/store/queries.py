"""SQL lives in .sql files; this module gives it names.

A statement starts with a line `-- name`; comment lines may follow. A statement in a dialect's folder
replaces the common one of the same name, so both stores answer to the same names.
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "sql"
_STATEMENT = re.compile(r"^-- ([a-z]\w*)\n((?:-- .*\n)*)", re.MULTILINE)
# A parameter is :name, but not the second colon of a cast (::bigint) nor text in quotes.
_PARAMETER = re.compile(r"('[^']*')|(?<!:):([a-z]\w*)")


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
