"""What finds texts by meaning: which one the store uses, whether it works, and changing it.

The store owns its embedder. A new one builds beside the old one, which answers until the new one covers everything.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from muniment.errors import EngineUnavailable, InvalidInput
from muniment.surfaces.cli.call import Call, Family, confirmed, opened
from muniment.text.counts import counted

if TYPE_CHECKING:
    from muniment.context import Context
    from muniment.store.generations import Generation

NOT_READY = 1
OFF = "none"


@click.group("embedder", cls=Family)
def command() -> None:
    """Show, test and change the embedder, which finds texts by their meaning."""


@command.command("list")
@click.pass_obj
def list_(call: Call) -> None:
    """List the embedders that can be chosen here."""
    from muniment.engines import choose

    offers = choose.available()
    if call.as_json:
        call.answer({"embedders": [offer._asdict() for offer in offers]})
        return
    for offer in offers:
        click.echo(f"{offer.name:<18} {offer.title}{'' if offer.installed else '  (not installed)'}; {offer.note}")
    click.echo(f"{OFF:<18} switch meaning off; words alone answer")


@command.command()
@click.pass_obj
def show(call: Call) -> int:
    """Show the store's embedder, and how far the index of meaning has come."""
    with opened(call) as context:
        found = _states(context)
        off = context.engines.off
    if call.as_json:
        call.answer({"embedders": found, "off": off or None})
        return 0
    for one in found:
        click.echo(
            f"{one['name']}  {one['dimension']} dimensions  {one['state']}  "
            f"{one['done']:,} of {counted(one['wanted'], 'passage')}"
        )
    if not found:
        click.echo("Meaning is switched off; `muniment embedder set use` switches it on.")
    if off:
        click.echo(f"In this process it is {off}.")
    return 0


@command.command()
@click.argument("name", required=False)
@click.option("--api-key-env", metavar="NAME", help="The variable that holds the endpoint's key.")
@click.pass_obj
def test(call: Call, name: str | None, api_key_env: str | None) -> int:
    """Try an embedder: load it or reach it, and time one question. Without NAME, the store's own."""
    from muniment.engines import choose
    from muniment.index import embedding

    with opened(call) as context:
        live = _live(context) if name is None else None
        if live is None and name is None:
            raise InvalidInput("The store has no embedder.", "Name one to test; `muniment embedder list` shows them.")
        spec = embedding.spec_of(live) if live else choose.spec_named(str(name))
        own = call.settings().embedding_api_key
        tested = choose.verify(spec, api_key=_key(api_key_env) or own or (live.api_key if live else ""))
    answer = {"name": f"{spec.provider}:{spec.model}", "dimension": tested.dimension, "latency_ms": round(tested.latency_ms, 1)}
    if call.as_json:
        call.answer(answer | {"ok": tested.norm_ok})
    else:
        verdict = "works" if tested.norm_ok else "answers, but not with vectors of length 1"
        click.echo(f"{answer['name']} {verdict}: {tested.dimension} dimensions, {tested.latency_ms:.1f} ms a question.")
    return 0 if tested.norm_ok else NOT_READY


@command.command("set")
@click.argument("name")
@click.option("--api-key-env", metavar="NAME", help="The variable that holds the endpoint's key.")
@click.option("--query-prefix", help="What an endpoint's model wants before a question.")
@click.option("--document-prefix", help="What an endpoint's model wants before a text.")
@click.option("--yes", is_flag=True, help="Do not ask before texts go to an endpoint.")
@click.option("--no-embed", is_flag=True, help="Leave the vectors to a later `muniment worker --drain`.")
@click.pass_obj
def set_(call: Call, /, name: str, api_key_env: str | None, yes: bool, no_embed: bool, **options: str | None) -> int:
    """Change the store's embedder to NAME: use, minilm, none, or openai:MODEL@URL.

    It is tested first. The old one answers until the new one has a vector for everything; then they change places.
    """
    from muniment.engines import choose
    from muniment.index import generations

    with opened(call) as context:
        if name == OFF:
            generations.switch_off(context)
            _say(call, "Meaning is switched off; words alone answer.", {"embedder": None})
            return 0
        spec = choose.spec_named(name, **{option: value for option, value in options.items() if value is not None})
        if spec.url:
            confirmed(f"All texts of the store will be sent to {spec.url}.", yes=yes)
        key = _key(api_key_env)
        tested = choose.verify(spec, api_key=key or call.settings().embedding_api_key)
        if not tested.norm_ok:
            raise EngineUnavailable(f"{name} does not answer with vectors of length 1.", "Choose another embedder.")
        generations.start(context, tested.spec, key)
        call.note(f"{name} works ({tested.latency_ms:.1f} ms a question). The old embedder answers until it covers everything.")
        return _build(call, context, no_embed=no_embed)


@command.command()
@click.option("--no-embed", is_flag=True, help="Leave the vectors to a later `muniment worker --drain`.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def reembed(call: Call, no_embed: bool, yes: bool) -> int:
    """Drop all vectors and make them again with the same embedder."""
    from muniment.index import generations

    with opened(call) as context:
        confirmed("Until it is done, words alone answer.", yes=yes)
        generations.remake(context)
        return _build(call, context, no_embed=no_embed)


@command.command("drain")
@click.pass_obj
def drain_(call: Call) -> int:
    """Make the vectors that are still missing."""
    with opened(call) as context:
        return _build(call, context, no_embed=False)


def _build(call: Call, context: Context, *, no_embed: bool) -> int:
    """Make what is missing, and say how far it came."""
    from muniment.surfaces.cli.upkeep import drain

    drained = None if no_embed else drain(call, context)
    found = _states(context)
    left = sum(one["wanted"] - one["done"] for one in found)
    why = drained.why if drained else ""
    if call.as_json:
        call.answer({"embedders": found, "left": left, "why": why or None})
    else:
        for one in found:
            click.echo(f"{one['name']}  {one['state']}  {one['done']:,} of {counted(one['wanted'], 'passage')}")
        if left:
            click.echo(f"Still to make: {counted(left, 'vector')}. {why or '`muniment worker --drain` makes them.'}")
    return NOT_READY if left and drained is not None else 0


def _states(context: Context) -> list[dict[str, Any]]:
    from muniment.index import generations as index
    from muniment.store import generations, workspaces

    with context.store.read() as connection:
        places = [place.id for place in workspaces.all_of(connection)]
        covered = [index.coverage(connection, one, places) for one in generations.wanted(connection)]
    return [
        {
            "name": one.generation.name,
            "dimension": one.generation.dimension,
            "state": one.generation.state,
            "done": one.done,
            "wanted": one.wanted,
        }
        for one in covered
    ]


def _live(context: Context) -> Generation | None:
    from muniment.store import generations

    with context.store.read() as connection:
        return generations.live(connection)


def _key(variable: str | None) -> str:
    """The key that a variable holds; keys never stand on a command line, where others can read them."""
    if variable is None:
        return ""
    key = os.environ.get(variable, "")
    if not key:
        raise InvalidInput(f"The variable {variable} is empty.", f"Set it: export {variable}=…")
    return key


def _say(call: Call, text: str, answer: dict[str, Any]) -> None:
    if call.as_json:
        call.answer(answer)
    else:
        click.echo(text)
