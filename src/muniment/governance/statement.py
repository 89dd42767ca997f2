"""A text on its way into memory as a statement: cleaned, masked, measured and fingerprinted, before anything is stored."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from muniment.access import zones
from muniment.context import Context
from muniment.errors import InvalidInput, LimitExceeded
from muniment.model import ids
from muniment.model.records import Label, Record
from muniment.model.times import Moment
from muniment.model.writing import LABEL_LENGTH_MAX, TEXT_LENGTH_MAX, Labels
from muniment.store import records
from muniment.store.connections import Connection
from muniment.text import dates, fence, injection, plain, redact


@dataclass(frozen=True, slots=True)
class Statement:
    """A text that may be stored, with what is stored beside it; all of it masked. `labels` None: as they are.

    `valid_from` and `valid_to` (ms UTC, half-open) say when it held in the world, where that was told.
    """

    text: str
    subject: str | None
    labels: tuple[Label, ...] | None
    why: str | None
    source_ref: str | None
    masked: int
    event: Moment | None
    fingerprint: str
    valid_from: int | None = None
    valid_to: int | None = None
    taint: int = 0  # what its own words bring


def prepare(
    context: Context,
    kind: str,
    text: str | None,
    *,
    subject: str | None = None,
    labels: Labels | None = None,
    why: str | None = None,
    source_ref: str | None = None,
    event_time: str | None = None,
    valid_from: str | None = None,
    valid_to: str | None = None,
) -> Statement:
    """Read and mask what a caller sent. Raises InvalidInput for an empty text or an inverted interval, LimitExceeded."""
    text = fence.strip(text or "").strip()
    if plain.blank(text):
        raise InvalidInput("There is no text to remember.", "Pass the statement as text, complete in itself.")
    if len(text) > TEXT_LENGTH_MAX:
        raise LimitExceeded(f"The text has {len(text):,} characters; {TEXT_LENGTH_MAX:,} are the most.")
    subject, masked = (subject or "").strip() or None, 0
    marked = None if labels is None else _labels(labels)
    if context.redact:
        text, masked = redact.mask(text)
        (subject, source_ref), more = redact.mask_each(subject, source_ref)
        masked += more
        if marked:
            values, more = redact.mask_each(*(label.value for label in marked))
            marked = tuple(Label(label.sort, value or "") for label, value in zip(marked, values, strict=True))
            masked += more
    since, until = _ms(valid_from), _ms(valid_to)
    if since is not None and until is not None and since >= until:
        raise InvalidInput("valid_from is not before valid_to.", "Give the interval as [valid_from, valid_to).")
    event = dates.parse(event_time) if event_time else None
    mark, taint = fingerprint(kind, text), suspicion(text, subject, *(label.value for label in marked or ()))
    return Statement(text, subject, marked, reason(context, why), source_ref, masked, event, mark, since, until, taint)


def alone(connection: Connection, record: Record, statement: Statement) -> None:
    """Raise InvalidInput where another memory than the record says exactly this, retired or not."""
    twin = records.known_as(connection, record.workspace, statement.fingerprint)
    if twin is None or twin.id == record.id:
        return
    said = f"{ids.ref(record.kind, twin.uid)} says exactly this"
    if twin.state == "active":
        raise InvalidInput(f"{said} already.", "Archive one of the two instead.")
    raise InvalidInput(f"{said} and is {twin.state}.", "If it holds again, use op supersede.")


def suspicion(*texts: str | None) -> int:
    """The taint that words have by themselves: whatever speaks to an agent is suspected, whoever wrote it down."""
    return zones.SUSPECT if any(text and injection.suspect(text) for text in texts) else 0


def reason(context: Context, why: str | None) -> str | None:
    """A reason as the ledger may hold it."""
    return redact.mask(why)[0] if why and context.redact else why


def masked(context: Context, text: str | None) -> tuple[str | None, int]:
    """A text as it may be stored, and how many secrets were masked in it."""
    return redact.mask(text) if text and context.redact else (text, 0)


def fingerprint(kind: str, text: str) -> str:
    """Equal for texts that differ only in width, case and white space."""
    same = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().casefold()
    return hashlib.blake2b(f"{kind}\x1f{same}".encode(), digest_size=16).hexdigest()


def _ms(time: str | None) -> int | None:
    return dates.parse(time).ms if time else None


def _labels(labels: Labels) -> tuple[Label, ...]:
    sorts: Sequence[tuple[str, tuple[str, ...]]] = (("topic", labels.topics), ("tag", labels.tags), ("person", labels.people))
    found = [Label(sort, value.strip()) for sort, values in sorts for value in values]  # type: ignore[arg-type]
    if any(len(label.value) > LABEL_LENGTH_MAX for label in found):
        raise LimitExceeded(f"A label is longer than {LABEL_LENGTH_MAX} characters.", "Put it into the text instead.")
    return tuple(label for label in found if label.value)
