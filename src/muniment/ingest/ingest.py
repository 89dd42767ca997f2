"""Keeping a conversation or a document in one call. What was accepted is stored before the answer is given."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.access import policy
from muniment.context import Context
from muniment.errors import InvalidInput, LimitExceeded, MunimentError
from muniment.ingest import documents, turns
from muniment.ingest.importers import jsonl
from muniment.model.turns import Incoming, IncomingTurn, Rejected, SessionInfo
from muniment.model.writing import (
    REJECTED_LISTED_MAX,
    TEXT_LENGTH_MAX,
    TURNS_MAX,
    IngestAnswer,
    IngestRequest,
    RejectedLine,
    TurnIn,
)
from muniment.text import dates, plain


def ingest(context: Context, request: IngestRequest) -> IngestAnswer:
    """Keep what was said (`session` with `turns`, or `jsonl`) or a whole `document`, so that recall finds it from now on.

    Repeating is safe: what is stored counts as `duplicates`. What cannot be stored is in `rejected` with its reason, the
    rest is kept. Secrets are masked.
    Limits: 1,000 turns, 10 million characters.
    Errors: invalid_input, limit_exceeded, insufficient_scope, forbidden_scope.
    """
    given = [name for name in ("turns", "jsonl", "document") if getattr(request, name) is not None]
    if len(given) != 1:
        raise InvalidInput("Give turns, jsonl or a document: exactly one of them.")
    policy.keeps(context)
    workspace = plain.clean(request.workspace) if request.workspace else None
    with context.store.read() as connection:
        policy.target(context, connection, workspace)
    if request.document is not None:
        return documents.keep(context, request.document, workspace=workspace, dry_run=request.dry_run)
    kept, refused, refused_total = turns.Kept(), list[Rejected](), 0
    for _ in turns.keep(
        context,
        _incoming(request),
        workspace=workspace,
        source_type=context.source_type,
        dry_run=request.dry_run,
        kept=kept,
    ):
        # Taken over batch by batch, so that a file of nothing but bad lines takes no room.
        refused += kept.rejected[: REJECTED_LISTED_MAX - len(refused)]
        refused_total += len(kept.rejected)
        kept.rejected.clear()
    return _answer(kept, refused, refused_total, dry_run=request.dry_run)


def _answer(kept: turns.Kept, refused: list[Rejected], refused_total: int, *, dry_run: bool) -> IngestAnswer:
    return IngestAnswer(
        added=kept.added,
        duplicates=kept.duplicates,
        rejected=tuple(RejectedLine(one.line, one.why) for one in sorted(refused, key=lambda one: one.line)),
        rejected_total=refused_total,
        masked=kept.masked,
        workspaces=tuple(sorted(kept.workspaces)),
        sessions=len(kept.sessions),
        refs=tuple(kept.refs),
        dry_run=dry_run,
    )


def _incoming(request: IngestRequest) -> Iterable[Incoming]:
    if request.jsonl is None:
        return _spoken(request)
    if len(request.jsonl) > TEXT_LENGTH_MAX:
        raise LimitExceeded(f"The text has {len(request.jsonl):,} characters; {TEXT_LENGTH_MAX:,} are the most.", "Split it.")
    return jsonl.read_text(request.jsonl)


def _spoken(request: IngestRequest) -> list[Incoming]:
    if not request.session:
        raise InvalidInput("turns need the session they belong to.", "Pass session, an id of your own choice.")
    said = request.turns or ()
    if len(said) > TURNS_MAX:
        raise LimitExceeded(
            f"There are {len(said):,} turns; {TURNS_MAX:,} are the most in one call.", "Send them in several calls."
        )
    info = SessionInfo(request.session, title=request.title)
    return [info, *(_turn(request.session, number, turn) for number, turn in enumerate(said, 1))]


def _turn(session: str, number: int, turn: TurnIn) -> IncomingTurn | Rejected:
    try:
        at = dates.parse(turn.time) if turn.time else None
    except MunimentError as fault:
        return Rejected(number, fault.message)
    return IncomingTurn(session, turn.speaker, turn.text, at, turn.id or None, line=number)
