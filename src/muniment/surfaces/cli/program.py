"""The command `muniment`: which commands there are, and what becomes of everything that can go wrong in one.

A command's module is loaded when it is called and not before. No expected error ever shows a traceback.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import click

from muniment import __version__
from muniment.errors import ConfirmationRequired, MunimentError
from muniment.surfaces.cli.call import Call, shared
from muniment.surfaces.errors import exit_code, shown

OK, ENVIRONMENT, STOPPED = 0, 2, 130


class Entry(NamedTuple):
    """Where a command lies, and its line in the overview."""

    target: str
    line: str


_CLI = "muniment.surfaces.cli"
SECTIONS: dict[str, dict[str, Entry]] = {
    "Keep": {
        "init": Entry(f"{_CLI}.places:init", "Make the store."),
        "ingest": Entry(f"{_CLI}.ingest:command", "Keep conversations, histories of clients, and documents."),
        "remember": Entry(f"{_CLI}.remember:command", "Keep one statement, or change one."),
        "supersede": Entry(f"{_CLI}.supersede:command", "Say what took the place of a memory."),
        "propose": Entry(f"{_CLI}.proposing:command", "Propose a change that somebody decides."),
        "pause": Entry(f"{_CLI}.pauses:pause", "Keep nothing that is said in a folder from now on."),
        "resume": Entry(f"{_CLI}.pauses:resume", "Keep what is said in a folder again."),
    },
    "Ask": {
        "recall": Entry(f"{_CLI}.recall:command", "Answer a question with evidence."),
        "search": Entry(f"{_CLI}.recall:search", "Search as a chat connector does."),
        "near": Entry(f"{_CLI}.knowledge:near", "List the facts around a name, each quoted."),
        "why": Entry(f"{_CLI}.knowledge:why", "Explain how two names are connected by causes."),
        "read": Entry(f"{_CLI}.read:command", "Open a record, a session, or the turns around one."),
        "sessions": Entry(f"{_CLI}.read:sessions", "List the newest sessions."),
        "context": Entry(f"{_CLI}.context:command", "Brief me on a workspace before a task."),
        "brief": Entry(f"{_CLI}.context:brief", "Print what an agent is told when a conversation starts."),
        "stats": Entry(f"{_CLI}.context:stats", "Count what is remembered."),
    },
    "Decide": {
        "review": Entry(f"{_CLI}.review:command", "Look at what waits, what was done, and what changed."),
        "notices": Entry(f"{_CLI}.notices:command", "List what somebody should be told."),
        "proposals": Entry(f"{_CLI}.proposing:proposals", "List what was proposed, and decide it."),
        "judge": Entry(f"{_CLI}.governing:judge", "Decide which of two statements holds."),
        "govern": Entry(f"{_CLI}.governing:command", "Change what stands, with authority."),
        "undo": Entry(f"{_CLI}.governing:undo", "Take a change back, or a whole run."),
        "forget": Entry(f"{_CLI}.forget:command", "Destroy a record, a session or a workspace for good."),
    },
    "Connect": {
        "install": Entry(f"{_CLI}.install:command", "Put Muniment into a client, or take it out."),
        "stdio": Entry(f"{_CLI}.serving:stdio", "Speak MCP with the client that started it."),
        "hook": Entry(f"{_CLI}.serving:hook", "Serve one event of a client; clients call it."),
        "serve": Entry(f"{_CLI}.serving:serve", "Speak MCP and REST over HTTP."),
        "token": Entry(f"{_CLI}.token:command", "Give, list and revoke tokens."),
        "profile": Entry(f"{_CLI}.profile:command", "Say who may log in to a server."),
    },
    "Look after": {
        "doctor": Entry(f"{_CLI}.doctor:command", "Check the store and what depends on it."),
        "workspace": Entry(f"{_CLI}.workspace:command", "List, make, rename, merge and wall off workspaces."),
        "embedder": Entry(f"{_CLI}.embedder:command", "Show, test and change what finds texts by meaning."),
        "worker": Entry(f"{_CLI}.upkeep:worker", "Do what is waiting: vectors, merging, histories."),
        "rebuild": Entry(f"{_CLI}.upkeep:rebuild", "Make the index again from the records."),
        "repair": Entry(f"{_CLI}.repair:command", "Put right what was left half done."),
        "backup": Entry(f"{_CLI}.places:backup", "Write a complete copy of the store."),
        "upgrade": Entry(f"{_CLI}.places:upgrade", "Bring an older store up to date."),
        "where": Entry(f"{_CLI}.places:where", "Show where everything lies and what is set."),
        "uninstall": Entry(f"{_CLI}.places:uninstall", "Take Muniment out of every client; --purge also deletes memory."),
    },
    "Measure": {
        "eval": Entry(f"{_CLI}.eval:command", "Measure how well questions are answered."),
        "bench": Entry(f"{_CLI}.bench:command", "Measure how fast this machine is."),
    },
}
COMMANDS = {name: entry for entries in SECTIONS.values() for name, entry in entries.items()}


class Program(click.Group):
    """Loads commands by name and turns every expected failure into words and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the overview."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, loaded now."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].target.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a guess at what was meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, 1)
            ctx.fail(f"There is no command {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview, without loading a single command."""
        for section, entries in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name, entry.line) for name, entry in entries.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; whoever closed the pipe has seen enough."""
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _mute()
            return OK
        return answer

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run one call and leave with its exit code."""
        words = list(sys.argv[1:] if args is None else args)
        as_json = "--json" in words
        extra |= {"standalone_mode": False}
        _speak_utf8()
        try:
            code = super().main(words, prog_name or "muniment", **extra)
        except MunimentError as fault:
            _show(as_json, fault)
            code = exit_code(fault.code)
        except click.exceptions.NoArgsIsHelpError as fault:
            fault.show()
            code = ENVIRONMENT
        except click.UsageError as fault:
            path = fault.ctx.command_path if fault.ctx else "muniment"
            code = _say(as_json, "invalid_input", fault.format_message(), f"`{path} --help` shows what it takes.")
        except click.ClickException as fault:
            code = _say(as_json, "invalid_input", fault.format_message(), "Correct it and call again.")
        except click.Abort:
            click.echo("Stopped.", err=True)
            code = STOPPED
        except OSError as fault:
            what = f"{fault.filename}: {fault.strerror}." if fault.filename else f"{fault}."
            code = _say(as_json, "unavailable", what, "Check the path, its permissions and the disk.")
        sys.exit(code if isinstance(code, int) else OK)


@click.command(
    cls=Program,
    params=shared(),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 findings or nothing found, 2 wrong usage or environment. `muniment COMMAND -h` says more.",
)
@click.version_option(__version__, prog_name="muniment", message="%(prog)s %(version)s")
@click.pass_context
def program(ctx: click.Context) -> None:
    """Memory for AI agents that names its evidence: who said it, where and when."""
    ctx.ensure_object(Call)


def main() -> None:
    """The command line as a program."""
    program.main()


def _say(as_json: bool, code: str, message: str, do_next: str) -> int:
    if as_json:
        _print({"error": {"code": code, "message": message, "do_next": do_next}})
    else:
        click.echo(f"{click.style('Error:', fg='red')} {message}\n{do_next}", err=True)
    return ENVIRONMENT


def _show(as_json: bool, fault: MunimentError) -> None:
    """An error of ours, with all that belongs to it. A confirmation that is missing is a question and no error."""
    if as_json:
        _print(shown(fault))
    elif isinstance(fault, ConfirmationRequired):
        click.echo(f"{fault.message}\n{fault.do_next}", err=True)
    else:
        _say(False, fault.code, fault.message, fault.do_next)


def _print(body: dict[str, Any]) -> None:
    click.echo(json.dumps(body, ensure_ascii=False), err=True)


def _speak_utf8() -> None:
    """Memory holds every script; what a terminal cannot show is escaped, never a reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _mute() -> None:
    """Nobody listens any more: let what is still buffered go nowhere, quietly."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
