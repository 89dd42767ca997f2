"""What one `ingest` came to. The counts are exact; of the reasons a bounded number is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from muniment.ingest.history import Imported
from muniment.ingest.turns import Kept

# Longer reports are cut in the list, never in the count.
REJECTED_LISTED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class RejectedAt:
    """A line that was not kept; line 0 means the whole file."""

    where: str
    line: int
    why: str


@dataclass(slots=True)
class Report:
    """Counted as it goes, so that it is true whenever somebody stops the call."""

    dry_run: bool = False
    files: int = 0
    added: int = 0
    documents: int = 0
    duplicates: int = 0
    masked: int = 0
    left_out: int = 0
    unfinished: int = 0
    rejected_total: int = 0
    rejected: list[RejectedAt] = field(default_factory=list)
    workspaces: set[str] = field(default_factory=set)
    sessions: set[tuple[str, str]] = field(default_factory=set)

    def reject(self, where: str, line: int, why: str) -> None:
        self.rejected_total += 1
        if len(self.rejected) < REJECTED_LISTED_MAX:
            self.rejected.append(RejectedAt(where, line, why))

    def take(self, where: str, kept: Kept) -> None:
        """Move the counts of a batch over, so that each is counted once."""
        self.added += kept.added
        self.duplicates += kept.duplicates
        self.masked += kept.masked
        for one in kept.rejected:
            self.reject(where, one.line, one.why)
        self.workspaces |= kept.workspaces
        kept.added = kept.duplicates = kept.masked = 0
        kept.rejected.clear()

    def add(self, found: Imported) -> None:
        """Count one file of a client."""
        self.added += found.added
        self.duplicates += found.duplicates
        self.masked += found.masked
        self.left_out += found.left_out
        self.unfinished += found.unfinished
        for one in found.rejected:
            self.reject(str(found.path), one.line, one.why)
        self.rejected_total += found.rejected_total - len(found.rejected)
        self.workspaces |= {slug for slug, _ in found.sessions}
        self.sessions |= found.sessions

    def plain(self) -> dict[str, Any]:
        """The report as JSON knows it."""
        return {
            "added": self.added,
            "documents": self.documents,
            "duplicates": self.duplicates,
            "masked": self.masked,
            "left_out": self.left_out,
            "unfinished": self.unfinished,
            "rejected_total": self.rejected_total,
            "rejected": [{"where": one.where, "line": one.line, "why": one.why} for one in self.rejected],
            "workspaces": sorted(self.workspaces),
            "sessions": len(self.sessions),
            "files": self.files,
            "dry_run": self.dry_run,
        }
