"""Evidence as text for a prompt: fenced, dated, and never mistaken for an instruction. A cut names the call for the rest."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.model.recalling import Evidence, Neighbour, RecallAnswer, RecallRequest
from muniment.recall import cautions
from muniment.text import fence

NEAREST_SHOWN = 2


def text(answer: RecallAnswer, request: RecallRequest) -> str:
    """The whole answer as one block; the empty string when there is nothing at all, so that a host can drop it."""
    if answer.abstained:
        return _abstained(answer, request)
    if not answer.results:
        return ""
    blocks = [_block(one, request.max_chars) for one in answer.results]
    return fence.wrap("\n\n".join(blocks), f"{len(blocks)} hits, strength {answer.strength}")


def _abstained(answer: RecallAnswer, request: RecallRequest) -> str:
    why = f"nothing about {', '.join(answer.missing)}" if answer.missing else "nothing that answers this"
    near = [_block(one, request.max_chars) for one in answer.nearest[:NEAREST_SHOWN]]
    head = f"Memory holds {why}." + (" Near misses, not answers:" if near else "")
    return fence.wrap("\n\n".join([head, *near]), "abstained")


def _block(one: Evidence, chars: int) -> str:
    lines = [_head(one), *_marks(one)]
    lines += [f"[before] {_spoken(turn, chars)}" for turn in one.before]
    lines.append(_clipped(one.ref, one.text, chars) if one.span is None else _part(one, chars))
    lines += [f"[after] {_spoken(turn, chars)}" for turn in one.after]
    lines[1:1] = cautions.labels(one)
    return fence.visible("\n".join(lines))


def _head(one: Evidence) -> str:
    origin = one.provenance
    when = origin.at or f"stored {origin.recorded_at}"
    if origin.zone == "unknown":
        when += " (zone unknown)"
    parts: Iterable[str | None] = (
        f"[{one.role}] {when}",
        origin.speaker,
        f"{one.kind}" if one.kind != "turn" else None,
        f"session {origin.title or origin.session}" if origin.session else None,
        f"{len(one.also)} more like it" if one.also else None,
        f"taint {one.taint}" if one.taint else None,
        one.ref,
    )
    return " · ".join(_line(part) for part in parts if part)


def _marks(one: Evidence) -> list[str]:
    """How a hit stands that is not simply current, in a line of its own, so that nobody takes it for what holds."""
    since, until = one.valid or (None, None)
    on = f" {until[:10]}" if until else ""
    out: list[str] = []
    match one.standing:
        case "superseded" if one.replaced_why == "correction":
            out.append(f"[superseded as never so by {one.replaced_by}]")
        case "superseded":
            out.append(f"[superseded{on} by {one.replaced_by}]" if one.replaced_by else f"[superseded{on}]")
        case "outdated":
            out.append(f"[outdated: {one.replaced_by} says otherwise{f' on{on}' if on else ''}]")
        case "expired":
            out.append(f"[expired{on}]")
        case "future":
            out.append(f"[holds only from {since[:10] if since else 'later'}]")
    if one.conflicts:
        out.append(f"[in conflict: {', '.join(one.conflicts)}]")
    return out


def _spoken(turn: Neighbour, chars: int) -> str:
    return f"{_line(turn.speaker or 'someone')}: {_clipped(turn.ref, turn.text, chars)}"


def _line(text: str) -> str:
    """A name or a title as part of one line, whatever it holds."""
    return " ".join(text.split())


def _clipped(ref: str, text: str, chars: int) -> str:
    if len(text) <= chars:
        return text
    rest = f'read(ref="{ref}", span=[{chars}, {len(text)}])'
    return f"{text[:chars]}\n[cut after {chars} of {len(text)} characters; the rest: {rest}]"


def _part(one: Evidence, chars: int) -> str:
    """The shown part of a long text, and the call that opens all of it."""
    low = one.span[0] if one.span else 0
    text = one.text[:chars]
    return f'[characters {low} to {low + len(text)} of {one.length}; all of it: read(ref="{one.ref}")]\n{text}'
