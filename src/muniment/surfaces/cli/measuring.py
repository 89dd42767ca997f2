"""What `eval` and `bench` share on a terminal: tables, and a progress bar that only eyes ever see."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import click

from muniment.evaluation.report import Table
from muniment.surfaces.cli.call import Call, terminal

Step = Callable[[str, int, int], None]
pass_call = click.make_pass_decorator(Call, ensure=True)


def show(tables: Iterable[Table], head: Iterable[str] = ()) -> None:
    """Print a protocol and its tables: drawn on a terminal, as Markdown into a pipe or a file."""
    if not sys.stdout.isatty():
        for line in head:
            click.echo(f"- {line}")
        for table in tables:
            click.echo("\n".join(_markdown(table)))
        click.echo()
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as Drawn

    console = Console(highlight=False)
    for line in head:
        console.print(escape(line), soft_wrap=True)
    for table in tables:
        drawn = Drawn(title=escape(table.title), title_justify="left", header_style="bold")
        for place, column in enumerate(table.columns):
            drawn.add_column(escape(column), justify="right" if place else "left", overflow="fold")
        for row in table.rows:
            drawn.add_row(*(escape(cell) for cell in row))
        console.print()
        console.print(drawn)


def _markdown(table: Table) -> Iterator[str]:
    yield f"\n**{table.title}**\n"
    for cells in (table.columns, tuple("---" if not place else "---:" for place in range(len(table.columns))), *table.rows):
        yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


@contextmanager
def progress(call: Call) -> Iterator[Step]:
    """A bar on stderr that is told what is being done, how far it is, and of how much; nothing without a terminal."""
    if call.quiet or call.as_json or not terminal():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=None)
        yield lambda what, done, total: shown.update(task, description=what, completed=done, total=total or None)
