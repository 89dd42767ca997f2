"""What `review` finds, for people: tables, a conflict with its plan, versions, differences, a tree of lineage.

Every ref that is shown can be given to another command.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from muniment.model.reviewing import (
    ActionSeen,
    CandidateSeen,
    ConflictSeen,
    EntitySeen,
    NoticeSeen,
    ProposalSeen,
    RecordSeen,
    ReviewAnswer,
    StepSeen,
    VersionSeen,
)
from muniment.surfaces.cli.screen import coloured, console, day_and_time, line, safe, signed
from muniment.text.counts import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

TEXT_MAX = 100
WHEN = "when"
# A notice says at its end what to do.
NOTICE_MAX = 400
NAME_MAX = 60
PIPED_WIDTH = 400
# What a count is of is a noun, unless it ends like this.
NO_NOUNS = ("ed", "complete", "pending")
SAID = {"archived": ("record", "archived"), "derived": ("", "of them derived from it")}
SCANNED = (
    ("opened", "conflict", "opened"),
    ("joined", "statement", "joined to an open conflict"),
    ("candidates", "candidate", "put down"),
    ("closed", "conflict", "closed"),
)
REPLACED = {"correction": "it was never so", "change": "it has changed since"}
REPLACING = ("supersede", "retire", "apply_step")
STATE_STYLES = {"superseded": "yellow", "archived": "dim", "rejected": "red", "quarantined": "red", "open": "yellow"}


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, most: int = TEXT_MAX) -> None:
    """Rows under heads; the first column names things and is never broken. In a pipe no cell is. `most`: characters of one."""
    told = [["" if cell is None else line(str(cell), most) for cell in row] for row in rows]
    shown = _grid(heads, told)
    if WHEN in heads and sys.stdout.isatty() and _width(shown) > console().width:
        place = heads.index(WHEN)
        # A day stands above its time: broken anywhere else it would not be a day.
        shown = _grid(heads, [[*row[:place], row[place].replace(" ", "\n", 1), *row[place + 1 :]] for row in told])
    _wide(shown)


def _grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, pad_edge=False, header_style="dim")
    for place, head in enumerate(heads):
        kept = place == 0 or head == WHEN
        shown.add_column(head, no_wrap=kept, overflow="fold", style="cyan" if place == 0 else "")
    for row in rows:
        shown.add_row(*(Text(cell, style=STATE_STYLES.get(cell, "")) for cell in row))
    return shown


def _width(shown: Table) -> int:
    """How many characters it takes where nothing is broken."""
    from rich.console import Console

    return Console(width=PIPED_WIDTH).measure(shown).maximum


def _wide(shown: Table | Tree) -> None:
    """As wide as the terminal; in a pipe so wide that nothing is cut."""
    from rich.console import Console

    if sys.stdout.isatty():
        console().print(shown)
        return
    wide = Console(highlight=False, markup=False, emoji=False, width=PIPED_WIDTH)
    with wide.capture() as captured:
        wide.print(shown)
    sys.stdout.write("".join(f"{row.rstrip()}\n" for row in captured.get().splitlines()))


def conflicts(found: Sequence[ConflictSeen]) -> None:
    table(
        ("conflict", "status", "about", "values"),
        ((one.ref, one.status, about(one), " | ".join(one.values)) for one in found),
    )


def about(one: ConflictSeen) -> str:
    """`booking service: port (staging)`."""
    named = ": ".join(part for part in (one.subject, one.attribute) if part)
    return f"{named} ({one.qualifier})" if one.qualifier else named


def conflict(one: ConflictSeen) -> None:
    """A conflict in full: who says what in which words, and what was decided and planned."""
    from rich.text import Text

    out = console()
    head = Text(f"{line(about(one), NAME_MAX * 2)}\n", style="bold")
    head.append(f"{one.ref} · {one.status} · revision {one.revision}", style="dim")
    out.print(head)
    for member in one.members:
        chosen = " ✓" if one.chosen is not None and member.value == one.chosen else ""
        out.print(Text.assemble((f"\n{line(member.value, NAME_MAX)}{chosen}", "bold"), f"  {member.state}"))
        quote = member.quote
        out.print(Text(f"   «{safe(quote.quote)}»"), soft_wrap=True)
        marks = "" if member.protection == "normal" else f", {member.protection}"
        out.print(Text(f"   {member.ref}, version {member.version}, {day_and_time(quote.at, zone_known=True)}{marks}", "dim"))
    if one.chosen is not None or one.reason:
        by = f" by {line(one.decider, NAME_MAX)}" if one.decider else ""
        value = f" for {line(one.chosen, NAME_MAX)}" if one.chosen else ""
        why = f": {safe(one.reason)}" if one.reason else ""
        out.print(Text(f"\nDecided{by}{value}{why}"))
    if one.plan:
        _plan(out, "Plan", one.plan)
    for number, plan in enumerate(one.earlier_plans, 1):
        _plan(out, f"Earlier plan {number}", plan)


def _plan(out: Console, title: str, steps: Sequence[StepSeen]) -> None:
    out.print(f"\n{title}", style="bold")
    table(
        ("step", "record", "what", "state", "version", ""),
        ((one.number, one.ref, one.op, one.state, one.result_version or one.expected_version, one.error) for one in steps),
    )


def proposals(found: Sequence[ProposalSeen]) -> None:
    table(
        ("proposal", "state", "what", "by", "taint", "text"),
        ((one.ref, one.state, one.op, signed(one.by, one.client), one.taint, one.text or one.target) for one in found),
    )


def proposal(answer: ReviewAnswer) -> None:
    """A proposal in full, what it would change, and the records that it rests on."""
    from rich.text import Text

    out = console()
    if answer.proposal is not None:
        _proposal(out, answer.proposal)
    if answer.record is not None:
        out.print(Text.assemble("\nIt is about ", _leaf(answer.record)), soft_wrap=True)
    if answer.diff:
        difference(answer.diff)
    if answer.sources:
        out.print("\nIt rests on")
        for source in answer.sources:
            out.print(Text.assemble("  ", _leaf(source)), soft_wrap=True)


def _proposal(out: Console, one: ProposalSeen) -> None:
    from rich.text import Text

    out.print(Text(f"{one.op} · {one.kind} · {one.state}", style="bold"))
    at = day_and_time(one.at, zone_known=True)
    out.print(Text(f"{one.ref} · by {signed(one.by, one.client)} · {at} · taint {one.taint}", style="dim"))
    if one.text:
        out.print(Text(safe(one.text)), soft_wrap=True)
    told = (
        ("target", one.target),
        ("replaces", one.supersedes),
        ("rests on", ", ".join(one.evidence)),
        ("decided by", one.decider),
        ("because", one.reason),
        ("became", one.result),
    )
    for name, value in told:
        if value:
            out.print(Text(f"{name}: {line(value, 500)}"), soft_wrap=True)


def history(answer: ReviewAnswer) -> None:
    """How a record stands and why, every version of it, and every action on it."""
    from rich.text import Text

    out, record = console(), answer.record
    if record is not None:
        by = f", replaced by {record.superseded_by}" if record.superseded_by else ""
        why = f" ({REPLACED[record.why]})" if record.why in REPLACED else ""
        said = next((one.reason for one in answer.actions if one.kind in REPLACING and one.reason and not one.undone), None)
        reason = f": {line(said, 200)}" if by and said else ""
        out.print(Text(f"{record.ref} is {record.state}{by}{why}{reason}", style=STATE_STYLES.get(record.state, "")))
    versions(answer.versions, state=record.state if record else "active")
    if answer.actions:
        out.print()
        actions(answer.actions)


def versions(found: Sequence[VersionSeen], *, state: str = "active") -> None:
    """Every version with its text; the one in force is marked, or the last one that was, in the state of its record."""
    from rich.text import Text

    out = console()
    for one in found:
        mark = f" ({'in force' if state == 'active' else state})" if one.current else ""
        why = f" · {line(one.reason, 200)}" if one.reason else ""
        head = f"\nversion {one.version}{mark} · {day_and_time(one.at, zone_known=True)} · {signed(one.by, one.client)}{why}"
        out.print(Text(head, style="bold" if one.current else ""))
        if one.subject or one.labels:
            out.print(Text(line(" · ".join(part for part in (one.subject, *one.labels) if part), 500), style="dim"))
        out.print(Text(safe(one.text)), soft_wrap=True)


def actions(found: Sequence[ActionSeen]) -> None:
    table(
        ("action", WHEN, "what", "by", "", "why"),
        (
            (one.ref, day_and_time(one.at, zone_known=True), one.kind, _decider(one), _marks(one), one.reason or _run(one))
            for one in found
        ),
    )


def _decider(one: ActionSeen) -> str:
    """Who decided: `rule:auto_accept_clean for scout` where something was carried out that another had proposed."""
    if one.author:
        return f"{line(one.by, NAME_MAX)} for {line(one.author, NAME_MAX)}"
    return signed(one.by, one.client)


def _marks(one: ActionSeen) -> str:
    return "undone" if one.undone else "" if one.undoable else "final"


def _run(one: ActionSeen) -> str:
    return f"run {one.run}" if one.run else ""


def difference(text: str) -> None:
    """A diff, what went in red and what came in green."""
    from rich.text import Text

    out, colour = console(), coloured()
    for row in safe(text).split("\n"):
        style = "red" if row.startswith("-") else "green" if row.startswith("+") else "cyan" if row.startswith("@") else ""
        out.print(Text(row, style=style if colour else ""), soft_wrap=True)


def lineage(answer: ReviewAnswer) -> None:
    """A tree: what the record was derived from above it, what was derived from it below."""
    from rich.tree import Tree

    root = Tree(_leaf(answer.record) if answer.record else "")
    for title, kin in (("derived from", answer.sources), ("from it came", answer.derived)):
        if kin:
            branch = root.add(title, style="dim")
            for one in kin:
                branch.add(_leaf(one))
    _wide(root)
    if not answer.sources and not answer.derived:
        console().print("It was derived from nothing that is kept, and nothing was derived from it.", style="dim")


def _leaf(one: RecordSeen) -> Text:
    from rich.text import Text

    told = Text(one.ref, style="cyan")
    told.append(f"  {one.kind}, {one.state}", style=STATE_STYLES.get(one.state, "default"))
    if one.taint:
        told.append(f", taint {one.taint}", style="red")
    return told.append(f"  {line(one.text, TEXT_MAX)}", style="default")


def records(found: Sequence[RecordSeen]) -> None:
    table(
        ("record", "state", "replaced by", "text"),
        ((one.ref, one.state, one.superseded_by, one.text) for one in found),
    )


def notices(found: Sequence[NoticeSeen]) -> None:
    table(
        ("notice", "state", WHEN, "what"),
        ((one.ref, one.state, day_and_time(one.at, zone_known=True), one.text or f"{one.sort}: {one.about}") for one in found),
        most=NOTICE_MAX,
    )


def entities(found: Sequence[EntitySeen]) -> None:
    table(
        ("name", "type", "mentions", "facts", "also", ""),
        (
            (line(one.name, NAME_MAX), one.type, one.mentions, one.claims, ", ".join(one.aliases), _entity_marks(one))
            for one in found
        ),
    )


def _entity_marks(one: EntitySeen) -> str:
    if one.merged_into:
        return f"merged into {one.merged_into}"
    return "blocked" if one.blocked else ""


def candidates(found: Sequence[CandidateSeen]) -> None:
    table(
        ("candidate", "state", "what", "score", "records"),
        ((one.ref, one.state, one.sort, f"{one.score:.2f}", " ".join(one.members)) for one in found),
    )


def counts(found: dict[str, int]) -> None:
    """How much there is of what."""
    width = max((len(f"{count:,}") for count in found.values()), default=0)
    for name, count in found.items():
        what, _, more = name.partition("_")
        if what in SAID:
            noun, said = SAID[what]
            told = " ".join(part for part in (noun and counted(count, noun).partition(" ")[2], said) if part)
            console().print(f"{count:>{width},} {told}")
            continue
        if not what.endswith(NO_NOUNS):
            what = counted(count, what.removesuffix("s")).partition(" ")[2]
        console().print(f"{count:>{width},} {' '.join((what, more)).replace('_', ' ').strip()}")


def scanned(found: dict[str, int]) -> None:
    """What a scan looked at, and what came of it; what did not happen is not told."""
    told = [f"{counted(found[name], noun)} {what}".strip() for name, noun, what in SCANNED if found.get(name)]
    out = console()
    out.print(f"{counted(found.get('records', 0), 'record')} looked at, {counted(found.get('pairs', 0), 'pair')} compared.")
    out.print(f"{', '.join(told)}." if told else "No new conflict was found.")
    if not found.get("complete"):
        out.print("It did not come to the end: another scan goes on.")


def waiting(answer: ReviewAnswer) -> int:
    """The queue: everything that somebody has to decide. Answers how much there is."""
    parts: tuple[tuple[str, Sequence[Any], Callable[[Any], None]], ...] = (
        ("proposal", answer.proposals, proposals),
        ("conflict", answer.conflicts, conflicts),
        ("candidate", answer.candidates, candidates),
    )
    before = ""
    for name, found, show in parts:
        if found:
            console().print(f"{before}{counted(len(found), name)}", style="bold")
            show(found)
            before = "\n"
    return sum(len(found) for _, found, _ in parts)
