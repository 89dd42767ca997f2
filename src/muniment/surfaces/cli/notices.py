"""What somebody should be told: that a statement speaks against another one, that a proposal waits."""

from __future__ import annotations

import click

from muniment.surfaces.cli import governing
from muniment.surfaces.cli.call import Call, Command
from muniment.surfaces.cli.review import limit, notice_state, noticed


@click.command("notices", cls=Command)
@notice_state
@limit
@click.option("--dismiss", metavar="NOTICE", help="Take this one (n_…) as read.")
@click.pass_obj
def command(call: Call, state: str | None, limit: int | None, dismiss: str | None) -> int:
    """List what somebody should be told."""
    if dismiss:
        return governing.done(call, {"verb": "dismiss", "notice": dismiss}, {})
    return noticed(call, state=state, limit=limit)
