"""Where a record came from, as an answer shows it. Needs no numpy, since briefings show it too."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.model.access import Workspace
from muniment.model.recalling import Provenance
from muniment.model.records import Record, Session
from muniment.model.times import Moment


def provenance(record: Record, places: Mapping[int, Workspace], talks: Mapping[tuple[int, int], Session]) -> Provenance:
    """Where a record came from, in words for a reader."""
    talk = talks.get((record.workspace, record.session)) if record.session is not None else None
    event = record.event
    return Provenance(
        workspace=places[record.workspace].slug,
        session=talk.external_id if talk else None,
        session_ref=f"s_{talk.uid}" if talk else None,
        title=talk.title if talk else None,
        turn=record.seq,
        speaker=record.speaker,
        at=event.iso() if event else None,
        zone=None if event is None else "unknown" if event.zone is None else "given",
        recorded_at=Moment(record.recorded_at, 0).iso(),
        source_type=record.source_type,
        source_ref=record.source_ref,
        url=record.url,
        client=record.client,
    )
