"""Starting the surfaces that programs talk to. `stdio` and `hook` normally start without ever coming here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import click

from muniment.surfaces.cli.call import Call, Command

if TYPE_CHECKING:
    from muniment.settings import Settings

PORT_MAX = 65_535
# Surfaces do not know each other; a command only starts one, by name.
HTTP, STDIO, HOOK = (f"muniment.surfaces.{name}" for name in ("http", "stdio", "hook"))


@click.command(cls=Command)
@click.option("--host", help="Address to bind (default 127.0.0.1).")
@click.option("--port", type=click.IntRange(1, PORT_MAX), help="Port to bind (default 8750).")
@click.option("--base-url", help="Public address of the server, for links.")
@click.pass_obj
def serve(call: Call, host: str | None, port: int | None, base_url: str | None) -> None:
    """Speak MCP at /mcp and REST at /api over HTTP. Every call needs a token: `muniment token add NAME`."""
    from muniment import app

    flags = {"store": call.store, "workspace": call.workspace, "host": host, "port": port, "base_url": base_url}
    settings: Settings = app.environment(flags)
    opened = app.open_app(settings)
    try:
        import_module(HTTP).serve(opened, settings)
    finally:
        opened.close()


@click.command(cls=Command)
@click.pass_obj
def stdio(call: Call) -> int:
    """Speak MCP on stdin and stdout. A client starts this; `muniment install` tells it how."""
    return int(import_module(STDIO).main(["--store", call.store] if call.store else []))


@click.command(cls=Command)
@click.option(
    "--map", "maps", multiple=True, metavar="HOST=HERE", help="A path of another machine, and what it is called here."
)
@click.pass_obj
def hook(call: Call, maps: tuple[str, ...]) -> int:
    """Serve one event of a client, read as JSON from stdin: keep what is new in its session, or brief the agent.

    It always ends with 0, so that no fault of memory ever fails an agent's turn; faults go to the log that
    `muniment where` names.
    """
    words = [word for pair in maps for word in ("--map", pair)]
    return int(import_module(HOOK).main(words + (["--store", call.store] if call.store else [])))
