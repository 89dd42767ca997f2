"""Pausing and resuming memory for a folder. A pause holds for hooks and workers; who ingests a file by hand means it."""

from __future__ import annotations

from pathlib import Path

import click

from muniment.surfaces.cli.call import Call, Command

FOLDER = click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=Path("."))


@click.command(cls=Command)
@FOLDER
@click.option("--list", "listing", is_flag=True, help="Show the paused folders and change nothing.")
@click.pass_obj
def pause(call: Call, folder: Path, listing: bool) -> None:
    """Keep nothing that is said in FOLDER (default: this one) from now on.

    A folder inside a git repository pauses the whole repository. What is stored stays, and is still recalled.
    """
    from muniment.access import pauses

    if listing:
        held = pauses.listed()
        if call.as_json:
            call.answer({"paused": held})
        else:
            click.echo("\n".join(held) if held else "No folder is paused.")
        return
    place = pauses.pause(folder.absolute())
    if call.as_json:
        call.answer({"paused": str(place)})
        return
    click.echo(f"Paused: nothing said in {place} is kept until `muniment resume {place}`.")


@click.command(cls=Command)
@FOLDER
@click.pass_obj
def resume(call: Call, folder: Path) -> int:
    """Keep what is said in FOLDER (default: this one) again. What was said during the pause stays out."""
    from muniment.access import pauses

    done = pauses.resume(folder.absolute())
    if call.as_json:
        call.answer({"resumed": done})
    else:
        click.echo("Resumed." if done else "It was not paused; `muniment pause --list` shows what is.")
    return 0 if done else 1
