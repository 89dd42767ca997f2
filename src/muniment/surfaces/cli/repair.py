"""Putting right what was left half done. Every command here may be repeated."""

from __future__ import annotations

import click

from muniment.surfaces.cli.call import Call, Family, opened

LEFT = 1


@click.group("repair", cls=Family)
def command() -> None:
    """Put right what was left half done."""


@command.command()
@click.pass_obj
def cleanup(call: Call) -> int:
    """Clean the store's files of what was forgotten, where `forget` could not: another program was reading them."""
    from muniment.governance import forget

    with opened(call) as context:
        cleaned = forget.clean_up(context)
    if call.as_json:
        call.answer({"cleaned": cleaned})
    elif cleaned:
        click.echo("The store's files hold nothing of what was forgotten.")
    else:
        click.echo("The files may still hold bytes of what was forgotten; `muniment doctor` says what keeps them.")
    return 0 if cleaned else LEFT
