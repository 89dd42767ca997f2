"""Recalled evidence for people: who said it, when, where, and which words back the answer."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from muniment.model.recalling import Evidence, Neighbour, Provenance, RecallAnswer
from muniment.surfaces.cli.screen import coloured, console, day_and_time, line, safe
from muniment.text.counts import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

TITLE_MAX = 60
# A longer text is shown around its evidence; `read` opens the rest.
TEXT_WHOLE_MAX = 1200
MARGIN = 300
NEIGHBOUR_MAX = 200
NEAREST_MAX = 3
FEATURES_MAX = 6
SIGNALS_MAX = 5


def show(answer: RecallAnswer, *, quiet: bool) -> None:
    """The whole answer: the evidence, or the plain statement that there is none."""
    out = console()
    if answer.abstained or not answer.results:
        _show_nothing(out, answer)
    else:
        if not quiet:
            out.print(_head(answer), style="dim")
        for place, one in enumerate(answer.results, 1):
            _show_one(out, place, one)
    if quiet:
        return
    for degraded in answer.meta.degraded:
        out.print(f"Not all of memory took part: {safe(degraded)}", style="yellow")
    for warning in (*answer.meta.warnings, *answer.meta.notices):
        out.print(safe(warning), style="yellow")
    if answer.skipped_for_budget:
        out.print(f"{answer.skipped_for_budget} more did not fit the token budget.", style="dim")
    if answer.cursor:
        out.print(f"More: repeat with --cursor {answer.cursor}", style="dim")


def source(provenance: Provenance) -> str:
    """`2026-03-12 14:30 +01:00 · Maren Voss · Winter berths`; `stored 2026-03-12 · …` where nobody knows when it was said."""
    at = day_and_time(provenance.at, zone_known=provenance.zone != "unknown")
    if not provenance.at and provenance.recorded_at:
        at = f"stored {provenance.recorded_at[:10]}"
    title = provenance.title or provenance.session or provenance.url or provenance.source_ref
    parts = [at, provenance.speaker, title and line(title, TITLE_MAX)]
    return " · ".join(line(part, TITLE_MAX) for part in parts if part)


def _head(answer: RecallAnswer) -> str:
    count = len(answer.results)
    took = f" · {answer.meta.took_ms:.0f} ms" if answer.meta.took_ms is not None else ""
    strength = "no" if answer.strength == "none" else answer.strength
    return f"{count} {'hit' if count == 1 else 'hits'}, {strength} evidence{took}"


def _show_one(out: Console, place: int, one: Evidence) -> None:
    from rich.text import Text

    head = Text(f"\n{place}. ", style="bold")
    head.append(f"{one.score:.2f} {one.role}", style="green" if one.role == "primary" else "")
    kind = "" if one.kind == "turn" else f" · {one.kind}"
    head.append(f" · {source(one.provenance)}{kind}", style="default not bold")
    head.append(f" · {one.ref}", style="cyan not bold")
    if one.standing:
        head.append(f" · {one.standing}", style="yellow not bold")
    out.print(head)
    for neighbour in one.before:
        _show_neighbour(out, neighbour)
    if one.subject:
        out.print(Text(f"   {line(one.subject, TITLE_MAX * 2)}", style="bold"))
    out.print(_indented(_marked(one)))
    for neighbour in one.after:
        _show_neighbour(out, neighbour)
    for told in _standing(one):
        out.print(Text(f"   {told}", style="yellow"))
    notes = _notes(one)
    if notes:
        out.print(Text(f"   {' · '.join(notes)}", style="dim"))


def _standing(one: Evidence) -> list[str]:
    """What took the place of a hit, what it took the place of, and what speaks for or against it."""
    told = []
    if one.standing:
        by = f", replaced by {one.replaced_by}" if one.replaced_by else ""
        why = {"correction": " (it was never so)", "change": " (it has changed since)"}.get(one.replaced_why or "", "")
        told.append(f"{one.standing}{by}{why}")
    if one.replaces:
        told.append(f"replaces {', '.join(one.replaces[:NEAREST_MAX])}")
    if held := interval(one.valid):
        told.append(held)
    said = {*one.replaces, one.replaced_by}
    for signal in [signal for signal in one.signals if signal.relation != "supersedes" or signal.ref not in said][:SIGNALS_MAX]:
        relation = signal.relation.replace("_", " ")
        told.append(f"{relation} {signal.ref}" if signal.direction == "out" else f"{signal.ref} {relation} this")
    told += [f"in conflict: `muniment review conflict {ref}`" for ref in one.conflicts]
    return told


def interval(valid: tuple[str | None, str | None] | None) -> str:
    """`holds since 2026-03-12`, `held from … until …`; empty when nothing is known of it.

    What began and ended on one day shows its times of day.
    """
    since, until = ((one or "")[:10] for one in valid or ("", ""))
    if valid and since and since == until:
        since, until = (day_and_time(one, zone_known=True) for one in valid)
    if until:
        return f"held from {since} until {until}" if since else f"held until {until}"
    return f"holds since {since}" if since else ""


def _notes(one: Evidence) -> list[str]:
    notes = []
    if len(one.text) > TEXT_WHOLE_MAX:
        notes.append(f"{len(one.text):,} characters; `muniment read {one.ref}` opens all of it")
    if one.taint > 1:
        notes.append("from an untrusted source")
    if one.corroborated:
        notes.append("confirmed once" if one.corroborated == 1 else f"confirmed {one.corroborated} times")
    if one.also:
        notes.append(f"also said in {', '.join(one.also[:NEAREST_MAX])}")
    return notes


def _show_neighbour(out: Console, neighbour: Neighbour) -> None:
    from rich.text import Text

    speaker = f"{line(neighbour.speaker, TITLE_MAX)}: " if neighbour.speaker else ""
    out.print(Text(f"   {speaker}{line(neighbour.text, NEIGHBOUR_MAX)}", style="dim"))


def _marked(one: Evidence) -> Text:
    """The text, or the part around its evidence, with the evidence marked: in colour, or between « and »."""
    from rich.text import Text

    first, last = _window(one)
    spans = sorted((max(span.start, first), min(span.end, last)) for span in one.evidence)
    spans = [(start, end) for start, end in spans if start < end and (start, end) != (0, len(one.text))]
    shown, done, colour = Text("… " if first else ""), first, coloured()
    for start, end in spans:
        if start < done:
            continue
        shown.append(safe(one.text[done:start]))
        shown.append(safe(one.text[start:end]) if colour else f"«{safe(one.text[start:end])}»", style="bold yellow")
        done = end
    shown.append(safe(one.text[done:last]))
    if last < len(one.text):
        shown.append(" …")
    return shown


def _window(one: Evidence) -> tuple[int, int]:
    if len(one.text) <= TEXT_WHOLE_MAX:
        return 0, len(one.text)
    starts = [span.start for span in one.evidence] or [0]
    ends = [span.end for span in one.evidence] or [0]
    first = max(0, min(starts) - MARGIN)
    return first, min(len(one.text), max(max(ends) + MARGIN, first + 2 * MARGIN), first + TEXT_WHOLE_MAX)


def _indented(text: Text) -> Any:
    from rich.padding import Padding

    if sys.stdout.isatty():
        return Padding(text, (0, 0, 0, 3))
    lines = text.split("\n", allow_blank=True)
    return type(text)("\n").join(type(text).assemble("   ", one) for one in lines)


def _show_nothing(out: Console, answer: RecallAnswer) -> None:
    """Abstention in plain words: what is missing, and what came nearest, marked as no answer."""
    from rich.text import Text

    out.print("Memory does not hold the answer." if answer.abstained else "Nothing was found.", style="bold")
    if answer.missing:
        out.print(f"Nothing is known about: {', '.join(line(word, TITLE_MAX) for word in answer.missing)}.")
    if answer.filtered_out:
        out.print(f"The filter left out {counted(answer.filtered_out, 'record')}.")
    if answer.nearest:
        out.print("What came nearest, without answering it:")
        for one in answer.nearest[:NEAREST_MAX]:
            out.print(Text(f"   {one.score:.2f} · {source(one.provenance)} · {one.ref}", style="dim"))
            out.print(Text(f"        {line(one.text, NEIGHBOUR_MAX)}"))


def show_trace(trace: dict[str, Any]) -> None:
    """Every stage of a ranking: what the question was taken for, what each view found, and how the candidates compare."""
    from rich.table import Table

    out = console()
    for name, value in trace.items():
        if not value and value != 0:
            continue
        out.print(f"\n{name}", style="bold")
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = [_flat(row) for row in value]
            heads = list(dict.fromkeys(key for row in rows for key in row))
            table = Table(*heads, box=None, pad_edge=False)
            for row in rows:
                table.add_row(*(safe(row.get(head, "")) for head in heads))
            out.print(table)
        elif isinstance(value, dict):
            for key, part in value.items():
                out.print(f"  {key}: {safe(_cell(part))}")
        else:
            out.print(f"  {safe(_cell(value))}")


def _flat(row: dict[str, Any]) -> dict[str, str]:
    """A row with the parts of its features beside each other; those that are nought say nothing."""
    flat = {}
    for key, value in row.items():
        if isinstance(value, dict):
            told = sorted(((name, part) for name, part in value.items() if part), key=lambda pair: -abs(float(pair[1])))
            flat[key] = " ".join(f"{name}={_cell(part)}" for name, part in told[:FEATURES_MAX])
        else:
            flat[key] = _cell(value)
    return flat


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
