"""Statements by name, checked against the real schema of both stores."""

from __future__ import annotations

import re
from typing import Any

import apsw
import apsw.ext
import pytest

from muniment.store import migrate, queries
from muniment.store.sqlite import SqliteStore

SQLITE, POSTGRES = queries.load("sqlite"), queries.load("postgres")


def test_both_stores_answer_to_the_same_names() -> None:
    assert sorted(SQLITE) == sorted(POSTGRES)


@pytest.mark.parametrize("name", sorted(SQLITE.keys() & POSTGRES.keys()))
def test_a_statement_takes_the_same_values_on_both_stores(name: str) -> None:
    assert sorted(queries.parameters(SQLITE[name])) == sorted(queries.parameters(POSTGRES[name]))


@pytest.mark.postgres
def test_every_statement_runs_on_both_stores_and_answers_as_many_columns(tmp_path: Any, postgres_databases: Any) -> None:
    sqlite, postgres = _described_by_sqlite(tmp_path), _described_by_postgres(postgres_databases)
    assert len(sqlite) > 90
    assert sqlite == postgres


def _described_by_sqlite(folder: Any) -> dict[str, list[str]]:
    store = SqliteStore(folder / "muniment.db", create=True)
    migrate.apply(store, 0)
    connection = apsw.Connection(str(folder / "muniment.db"))
    found = {name: [column[0] for column in apsw.ext.query_info(connection, sql).description] for name, sql in SQLITE.items()}
    connection.close()
    store.close()
    return {name: _unnamed(columns) for name, columns in found.items()}


def _described_by_postgres(databases: Any) -> dict[str, list[str]]:
    import psycopg

    name = databases.lend()
    found = {}
    with psycopg.connect(databases.address(name), autocommit=True) as connection:
        for statement, sql in POSTGRES.items():
            numbers = {parameter: place for place, parameter in enumerate(queries.parameters(sql), 1)}
            bare = re.sub(r"%\((\w+)\)s", lambda match, at=numbers: f"${at[match[1]]}", queries.for_psycopg(sql)).replace(
                "%%", "%"
            )
            prepared = connection.pgconn.prepare(b"", bare.encode())
            assert not prepared.error_message, f"{statement}: {prepared.error_message.decode()}"
            described = connection.pgconn.describe_prepared(b"")
            found[statement] = [(described.fname(place) or b"").decode() for place in range(described.nfields)]
    databases.take_back(name)
    return {name: _unnamed(columns) for name, columns in found.items()}


def _unnamed(columns: list[str]) -> list[str]:
    """Column names, but for those that each engine makes up for an expression."""
    return [
        column if re.fullmatch(r"[a-z_]+", column) and column not in ("count", "coalesce", "max", "sum", "min") else ""
        for column in columns
    ]


@pytest.mark.parametrize(
    ("sql", "driver"),
    [
        ("SELECT :a::bigint, b::text", "SELECT %(a)s::bigint, b::text"),
        ("SELECT ':a' WHERE x LIKE '5%' AND y = :y_2", "SELECT ':a' WHERE x LIKE '5%%' AND y = %(y_2)s"),
    ],
)
def test_only_parameters_are_rewritten(sql: str, driver: str) -> None:
    assert queries.for_psycopg(sql) == driver


def test_an_insert_carries_as_many_rows_as_it_is_asked_to() -> None:
    insert = queries.bulk("INSERT INTO t (a, b) VALUES (:a,\n    :b)\nON CONFLICT DO NOTHING")
    assert insert is not None
    assert insert.names == ("a", "b")
    assert insert.sql(2) == "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4)\nON CONFLICT DO NOTHING"


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO t (a) VALUES (:a) ON CONFLICT (a) DO UPDATE SET a = excluded.a",
        "INSERT INTO t (a) VALUES (:a + 1)",
        "UPDATE t SET a = :a",
    ],
)
def test_no_other_statement_is_taken_for_a_plain_insert(sql: str) -> None:
    assert queries.bulk(sql) is None
