"""Claims read out of texts: by rule from clear sentences, and as agents tell them. None is kept without words that say it.

Reading a text again changes nothing, so whoever was interrupted starts over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from muniment.context import Context
from muniment.graph import causes, kinds, quotes, resolve
from muniment.index.write import ENTITY_SORTS
from muniment.model.asserted import Asserted
from muniment.model.records import Record
from muniment.model.writing import ClaimIn
from muniment.store import claims as stored
from muniment.store import entities, numbers, workspaces
from muniment.store.claims import Key, New, Source
from muniment.store.connections import Connection
from muniment.text import redact, spans, values
from muniment.text.scripts import fold
from muniment.text.statements import claims, slots

# Raised when rules read more, less or otherwise than before: then every text is read once more.
DETECTOR = 3
DETECTOR_KEY = "claims_detector"
JOB = "claims"
PAGE = 500  # records read in one transaction of the worker
# Longer texts are read by the worker, so that nobody waits for them.
READ_AT_ONCE_MAX = 20_000
WORDS_MAX = 200
VALUE_MAX = 500
QUOTE_MAX = 4000
# How sure a reader is: an agent that says so itself, and a rule.
AGENT, RULE = 0.9, 0.8


@dataclass(frozen=True, slots=True)
class Entered:
    """How many claims a text has now, and how many told ones were dropped since the text does not say them."""

    kept: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class _Draft:
    """A claim before its entities have numbers. `object` is a name, or empty where the value names nothing."""

    source: Source
    starts: int
    ends: int
    subject: str
    attribute: str
    said: str
    value: str
    value_norm: str
    object: str
    qualifier: str
    polarity: int
    many: bool
    causal: bool
    method: str
    confidence: float
    past: bool = False

    @property
    def fact(self) -> tuple[int, int, str, str, str, str, int]:
        """What is said by which version, however it is worded."""
        norm = resolve.norm(self.subject)
        return self.source.record, self.source.version, norm, self.attribute, self.value_norm, self.qualifier, self.polarity


def enter(
    context: Context, connection: Connection, workspace: int, source: Source, told: Sequence[ClaimIn] | None = None
) -> Entered:
    """Read one text as it is stored, together with what an agent says that it states.

    The caller holds the workspace. A long text is left to the worker but for what is told.
    """
    drafts = [draft for one in told or () if (draft := _told(context, connection, workspace, source, one))]
    dropped = len(told or ()) - len(drafts)
    if len(source.text) <= READ_AT_ONCE_MAX:
        enter_all(context, connection, workspace, {source: [*drafts, *read(source)]})
    else:
        enter_all(context, connection, workspace, {source: drafts}, dropping=False)
        follow_up(connection, workspace, source.record, source.record, context.now())
    held = stored.held(connection, workspace, [source.record])
    return Entered(len({one.id for one in held if one.key[1] == source.version}), dropped)


def enter_all(
    context: Context,
    connection: Connection,
    workspace: int,
    drafted: Mapping[Source, Sequence[_Draft]],
    *,
    dropping: bool = True,
) -> int:
    """Store what was read out of texts, and drop what the rules find no more in them. Answers how many claims are new.

    The caller holds the workspace.
    """
    drafts = list(_once(draft for several in drafted.values() for draft in several))
    if not drafts and not dropping:
        return 0
    held = stored.held(connection, workspace, {source.record for source in drafted})
    known = _entities(connection, workspace, drafts)
    before = {one.key: one for one in held}
    by_agent = {_fact(one.key) for one in held if one.method != "rule"}
    new: list[tuple[_Draft, Key]] = []
    again: list[int] = []
    for draft in drafts:
        key = _key(draft, known[resolve.norm(draft.subject)])
        if (found := before.pop(key, None)) is not None:
            if found.method == "rule" and found.detector != DETECTOR:
                again.append(found.id)
        elif draft.method != "rule" or _fact(key) not in by_agent:
            new.append((draft, key))
    stored.read_again(connection, workspace, again, DETECTOR)
    if dropping:
        read_now = {(source.record, source.version) for source in drafted}
        stored.drop(
            connection, workspace, (one.id for one in before.values() if one.method == "rule" and one.key[:2] in read_now)
        )
    _add(context, connection, workspace, new, known)
    return len(new)


def source(record: Record) -> Source:
    """A record as it is now, as something to read."""
    at = record.event.ms if record.event else None
    return Source(record.id, record.version, record.text, record.subject, record.speaker, at, record.recorded_at)


def work(context: Context, job: int, workspace: int, first: int, last: int) -> int:
    """Read a page of a run of records for a job of the worker; answers the number that the next page begins with.

    The texts are read before the transaction. What is written and how far the job has come are one transaction, so a worker
    that is killed leaves nothing half done.
    """
    end = min(last, first + PAGE - 1)
    with context.store.read() as connection:
        texts = stored.sources(connection, workspace, first, end)
    drafted = {one: read(one) for one in texts}
    with context.store.write() as connection:
        workspaces.hold(connection, workspace)
        there = stored.there(connection, workspace, first, end)  # what was forgotten meanwhile is not written again
        enter_all(context, connection, workspace, {one: drafts for one, drafts in drafted.items() if one.record in there})
        if end == last:
            connection.run("job_done", {"id": job})
        else:
            connection.run("job_shrink", {"id": job, "first": end + 1})
    return end + 1


def catch_up(context: Context) -> None:
    """Ask for everything to be read that no detector or an older one has read; to be called before any job is done."""
    with context.store.read() as connection:
        row = connection.one("meta_get", {"key": DETECTOR_KEY})
    if row is not None and row[0] == str(DETECTOR):
        return
    with context.store.write() as connection:
        workspaces.hold_all(connection)
        row = connection.one("meta_get", {"key": DETECTOR_KEY})
        if row is not None and row[0] == str(DETECTOR):
            return  # another process was faster
        for workspace, records, waiting in connection.all("claims_unread", {"job": JOB}):
            # In a store that was never read, what came lately waits to be read already.
            last = waiting - 1 if row is None and waiting is not None else records
            if last >= 1:
                follow_up(connection, workspace, 1, last, context.now())
        connection.run("meta_set", {"key": DETECTOR_KEY, "value": str(DETECTOR)})


def again(context: Context, workspace: int) -> None:
    """Ask for every text of a workspace to be read once more. What agents told and what was decided stays."""
    with context.store.write() as connection:
        last = workspaces.take(connection, workspace).records
        if last:
            follow_up(connection, workspace, 1, last, context.now())


def follow_up(connection: Connection, workspace: int, first: int, last: int, now: int) -> None:
    """Ask the worker to read a run of records."""
    connection.run("job_add", {"workspace": workspace, "job": JOB, "first": first, "last": last, "not_before": now})


def read(source: Source) -> list[_Draft]:
    """What the rules find in a text. Nothing is looked up, so no transaction has to wait for it."""
    drafts = []
    for one in claims.find(source.text):
        if draft := _stated(source, one):
            drafts.append(draft)
    return drafts


def _stated(source: Source, one: Asserted) -> _Draft | None:
    """An assertion as a claim; None where nobody is known to say it of themselves."""
    subject, said, attribute = one.subject, one.said, one.attribute
    if not subject:
        subject = source.speaker or ""
        if not subject or fold(subject) in kinds.MACHINES:
            return None
    elif attribute == slots.IS and source.subject:
        subject, said, attribute = source.subject, subject, slots.slot(subject)
    if max(len(subject), len(said)) > WORDS_MAX or one.end - one.start > QUOTE_MAX or len(one.value) > VALUE_MAX:
        return None
    return _Draft(
        source=source,
        starts=one.start,
        ends=one.end,
        subject=subject,
        attribute=attribute,
        said=said,
        value=one.value,
        value_norm=value_norm(one.value),
        object=one.names,
        qualifier=one.qualifier,
        polarity=one.polarity,
        many=one.many,
        causal=one.causal,
        method="rule",
        confidence=RULE,
        past=one.past,
    )


def value_norm(value: str) -> str:
    """The form in which spellings of one value meet; numbers with units by what they come to."""
    found = values.values(value)
    if len(found) == 1 and (found[0].start, found[0].end) == (0, len(value)):
        return found[0].norm
    return values.norm(value) or fold(value)


def _told(context: Context, connection: Connection, workspace: int, source: Source, one: ClaimIn) -> _Draft | None:
    """What an agent says that a text states; None where the text does not say it."""
    quote = one.quote if one.quote is not None else source.text
    span = quotes.find(source.text, quote)
    if span is None or span[1] - span[0] > QUOTE_MAX:
        return None
    said, attribute, qualifier = source.text[slice(*span)], one.attribute, one.qualifier or ""
    about = (said, source.text, source.subject or "", source.speaker or "")
    if not quotes.holds(said, one.value) or not any(quotes.holds(part, one.subject) for part in about):
        return None
    if context.redact:
        attribute, qualifier = redact.mask(attribute)[0], redact.mask(qualifier)[0]
    causal = causes.side(attribute) is not None
    return _Draft(
        source=source,
        starts=span[0],
        ends=span[1],
        subject=one.subject.strip(),
        attribute=slots.slot(attribute)[:WORDS_MAX],
        said=attribute.strip(),
        value=one.value.strip(),
        value_norm=value_norm(one.value.strip()),
        object=one.value.strip() if causal or _named(connection, workspace, one.value) else "",
        qualifier=fold(qualifier.strip()) if qualifier else "",
        polarity=-1 if one.negated else 1,
        many=False,
        causal=causal,
        method="agent",
        confidence=AGENT,
    )


def _named(connection: Connection, workspace: int, value: str) -> bool:
    """Whether a value is a name: by its shape, or since something is known by it."""
    if any(span.sort in ENTITY_SORTS and span.surface == value.strip() for span in spans.find(value)):
        return True
    norm = resolve.norm(value)
    return bool(norm) and norm in entities.meant(connection, workspace, [norm])


def _once(drafts: Iterable[_Draft]) -> Iterator[_Draft]:
    """Each fact once for a version, as the first that was given says it; an agent is given before the rules."""
    seen = set()
    for draft in drafts:
        if resolve.norm(draft.subject) and draft.fact not in seen:
            seen.add(draft.fact)
            yield draft


def _entities(connection: Connection, workspace: int, drafts: Sequence[_Draft]) -> dict[str, int]:
    """The numbers of all names of some drafts; what a name looks like is noted along."""
    wanted: dict[str, tuple[str, str]] = {}
    speakers = set()
    for draft in drafts:
        for name in (draft.subject, draft.object):
            if norm := resolve.norm(name):
                wanted.setdefault(norm, (name, "name"))
        if draft.source.speaker and fold(draft.source.speaker) not in kinds.MACHINES:
            speakers.add(resolve.norm(draft.source.speaker))
    known = entities.numbered(connection, workspace, wanted)
    looks = {known[norm]: "person" if norm in speakers else kinds.guess(name) for norm, (name, _) in wanted.items()}
    entities.guess(connection, workspace, {number: look for number, look in looks.items() if look != "other"})
    return known


def _key(draft: _Draft, subject: int) -> Key:
    source = draft.source
    place = (source.record, source.version, draft.starts)
    return (*place, subject, draft.attribute, draft.value_norm, draft.qualifier, draft.polarity)


def _fact(key: Key) -> tuple[object, ...]:
    return key[:2] + key[3:]


def _add(
    context: Context, connection: Connection, workspace: int, new: Sequence[tuple[_Draft, Key]], known: Mapping[str, int]
) -> None:
    if not new:
        return
    first, uids = numbers.take(connection, workspace, len(new)), context.uids(len(new))
    rows = []
    for number, uid, (draft, _) in zip(range(first, first + len(new)), uids, new, strict=True):
        source = draft.source
        rows.append(
            New(
                id=number,
                uid=uid,
                subject=known[resolve.norm(draft.subject)],
                attribute=draft.attribute,
                said=draft.said,
                object=known.get(resolve.norm(draft.object)) if draft.object else None,
                value=draft.value,
                value_norm=draft.value_norm,
                qualifier=draft.qualifier,
                polarity=draft.polarity,
                many=int(draft.many),
                causal=int(draft.causal),
                valid_from=None,
                # What held once had ended when it was said.
                valid_to=(source.at if source.at is not None else source.recorded_at) if draft.past else None,
                recorded_at=source.recorded_at,
                confidence=draft.confidence,
                method=draft.method,
                detector=DETECTOR,
                record=source.record,
                version=source.version,
                starts=draft.starts,
                ends=draft.ends,
                quote=source.text[draft.starts : draft.ends],
            )
        )
    stored.add(connection, workspace, rows)
