"""Moments and spans of time. Moments are UTC inside, with the offset they were given in; a time without a zone says so.

`Moment.ms` is Unix milliseconds UTC. `zone` is the original offset in minutes east of UTC, or None when
the source named no zone: such a time is read as UTC and shown without an offset.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Spans of time, in milliseconds.
SECOND_MS = 1000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS


@dataclass(frozen=True, slots=True)
class Moment:
    ms: int
    zone: int | None = None

    def local(self) -> datetime:
        """The moment as an aware datetime in its own zone (UTC when it named none)."""
        zone = timezone(timedelta(minutes=self.zone)) if self.zone else UTC
        return (EPOCH + timedelta(milliseconds=self.ms)).astimezone(zone)

    def iso(self) -> str:
        """ISO 8601; without an offset when the source gave none."""
        text = self.local().isoformat(timespec="milliseconds" if self.ms % 1000 else "seconds")
        return text[:-6] if self.zone is None else text


def moment(at: datetime) -> Moment:
    """A moment from a datetime; a naive one keeps `zone=None` and is read as UTC."""
    offset = at.utcoffset()
    aware = at if offset is not None else at.replace(tzinfo=UTC)
    # Counted in whole numbers: a float of seconds loses milliseconds from the year 2248 on.
    return Moment(
        round((aware - EPOCH) / timedelta(milliseconds=1)), None if offset is None else round(offset.total_seconds() / 60)
    )
