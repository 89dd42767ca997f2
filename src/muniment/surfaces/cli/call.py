"""One call of the command line: the options that every command takes, and what the commands do with a store.

What a person asked for goes to stdout, everything else to stderr, so that output can always be piped on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from muniment.errors import InvalidInput, UnknownWorkspace

if TYPE_CHECKING:
    from muniment.app import App
    from muniment.context import Context
    from muniment.settings import Settings

EVERYTHING = "*"


@dataclass(frozen=True, slots=True)
class Call:
    """The options of every command, wherever on the line they stood."""

    store: str | None = None
    workspace: str | None = None
    quiet: bool = False
    as_json: bool = False

    def settings(self) -> Settings:
        from muniment.app import environment

        return environment({"store": self.store, "workspace": None if self.many else self.workspace})

    @property
    def many(self) -> bool:
        """Whether --workspace names several: `*`, or slugs with commas between them."""
        return self.workspace is not None and (self.workspace == EVERYTHING or "," in self.workspace)

    @property
    def asked(self) -> str | tuple[str, ...] | None:
        """The workspaces a reading request names: several, or none when the current one is meant."""
        if not self.many or self.workspace is None:
            return None
        return EVERYTHING if self.workspace == EVERYTHING else tuple(part.strip() for part in self.workspace.split(","))

    def note(self, text: str) -> None:
        """Something worth knowing that is not the answer."""
        if not self.quiet:
            click.echo(text, err=True)

    def answer(self, value: Any) -> None:
        """The answer as JSON."""
        from muniment.surfaces import wire

        click.echo(json.dumps(wire.plain(value), ensure_ascii=False, indent=2))


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    held = ctx.obj if isinstance(ctx.obj, Call) else Call()
    ctx.obj = replace(held, **{str(param.name): value}) if value else held


def shared() -> list[click.Option]:
    """The options of every command. They may stand before the command, after it, and after each word of it."""
    kept: dict[str, Any] = {"expose_value": False, "callback": _keep}
    return [
        click.Option(["--store"], metavar="PATH|DSN", help="The store: a file, or a postgresql:// address.", **kept),
        click.Option(["--workspace"], metavar="SLUG", help="The workspace; reading commands also take a,b and '*'.", **kept),
        click.Option(["--quiet"], is_flag=True, help="Print nothing but the answer and errors.", **kept),
        click.Option(["--json", "as_json"], is_flag=True, help="Answer as JSON.", **kept),
    ]


class Command(click.Command):
    """A command with the options of every command in a section of their own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Named here too, for a command that is called without the program around it.
        kwargs.setdefault("context_settings", {}).setdefault("help_option_names", ["-h", "--help"])
        super().__init__(*args, **kwargs)
        self.params += shared()

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Own options first, then those of every command."""
        own: list[tuple[str, str]] = []
        common: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                (own if param.expose_value else common).append(record)
        for title, rows in (("Options", own), ("Everywhere", common)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Family(Command, click.Group):
    """A command whose first word names what to do. The options of every command may stand before that word or after it."""

    command_class = Command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, then the words."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


@contextmanager
def opened(call: Call, *, writing: bool = False, wait: bool = True) -> Iterator[Context]:
    """The store and a person's context. With `writing`, the workspace is made when it is named, or the folder's project.

    `wait` is off for answers that must not wait until a model is loaded.
    """
    with started(call) as app:
        if call.many and writing:
            raise InvalidInput("A write goes to one workspace.", "Name one with --workspace.")
        context = replace(app.context(cwd=_cwd()), door="cli", wait=wait)
        if app.settings.workspace:
            _check_named(call, context, writing=writing)
        elif writing:
            context = replace(context, workspace=_project(context) or context.workspace)
        yield context


@contextmanager
def started(call: Call) -> Iterator[App]:
    """The open store of a call; closed at the end of the block."""
    from muniment.app import open_app

    app = open_app(call.settings())
    try:
        yield app
    finally:
        app.close()


def run(call: Call, context: Context, operation: str, values: dict[str, Any]) -> Any:
    """Check a request as every surface does and answer it. Options that were not given are left out."""
    from muniment.surfaces import wire
    from muniment.surfaces.catalogue import named

    found = named(operation)
    assert found is not None, "commands name operations of the catalogue"
    request = wire.request_of(found, {name: value for name, value in values.items() if value not in (None, (), {})})
    return found.function()(context, request)


def several(value: tuple[str, ...]) -> list[str] | None:
    """A repeated option as a request takes it."""
    return list(value) or None


def terminal() -> bool:
    """Whether somebody watches: progress is for eyes alone."""
    return bool(sys.stderr and sys.stderr.isatty())


def confirmed(question: str, *, yes: bool, word: str = "yes") -> None:
    """Ask for the typed word before something that cannot be taken back. Raises InvalidInput without it."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput(f"{question} This needs a confirmation.", "Repeat the command with --yes.")
    if click.prompt(f"{question} Type {word!r} to go on", default="", show_default=False, err=True) != word:
        raise InvalidInput("Nothing was changed.", f"Type {word!r} to confirm.")


def _cwd() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def _project(context: Context) -> str | None:
    from muniment.governance import workspaces

    cwd = _cwd()
    return workspaces.claim(context, cwd) if cwd else None


def _check_named(call: Call, context: Context, *, writing: bool) -> None:
    """A named workspace is there, or is made by the first who writes to it."""
    from muniment.access import policy
    from muniment.governance import workspaces as governed

    if writing:
        if governed.ensure(context, context.workspace):
            slip = f"If another one was meant: `muniment workspace merge {context.workspace} INTO`."
            call.note(f"Made the workspace {context.workspace}. {slip}")
        return
    with context.store.read() as connection:
        may = policy.reached(context, connection)
        if policy.meant(context, connection, context.workspace, may) is None and context.workspace != policy.CURRENT:
            advice = "`muniment workspace list` shows them; the first write to a new name makes it."
            raise UnknownWorkspace(f"There is no workspace {context.workspace!r}.", advice)
