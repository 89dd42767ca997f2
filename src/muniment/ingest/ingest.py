"""Keeping a conversation or a document in one call. What was accepted is stored before the answer is given."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.access import policy
from muniment.context import Context
from muniment.errors import InvalidInput, MunimentError
from muniment.ingest import documents, turns
from muniment.ingest.importers import jsonl
from muniment.model.turns import Incoming, IncomingTurn, Rejected, SessionInfo
from muniment.model.writing import REJECTED_LISTED_MAX, IngestAnswer, IngestRequest, RejectedLine, TurnIn
from muniment.text import dates


def ingest(context: Context, request: IngestRequest) -> IngestAnswer:
    """Keep what was said (`session` with `turns`, or `jsonl`) or a whole `document`, so that recall finds it from now on.

    Repeating a call is safe: what is stored already counts as `duplicates`. A line that cannot be stored is listed in
    `rejected` with its reason, the rest is kept. Secrets are masked and counted. dry_run says what would happen.
    Limits: 1,000 turns, 10 million characters.
    Errors: invalid_input, limit_exceeded, insufficient_scope, forbidden_scope.
    """
    given = [name for name in ("turns", "jsonl", "document") if getattr(request, name) is not None]
    if len(given) != 1:
        raise InvalidInput("Give turns, jsonl or a document: exactly one of them.")
    with context.store.read() as connection:
        policy.target(context, connection, request.workspace)
    if request.document is not None:
        return documents.keep(context, request.document, workspace=request.workspace, dry_run=request.dry_run)
    incoming: Iterable[Incoming]
    incoming = jsonl.read_text(request.jsonl) if request.jsonl is not None else _spoken(request)
    kept = turns.Kept()
    for _ in turns.keep(
        context,
        incoming,
        workspace=request.workspace,
        source_type=context.source_type,
        dry_run=request.dry_run,
        kept=kept,
    ):
        pass
    return answer(kept, dry_run=request.dry_run)


def answer(kept: turns.Kept, *, dry_run: bool = False) -> IngestAnswer:
    """What a call stored, as its caller is told."""
    return IngestAnswer(
        added=kept.added,
        duplicates=kept.duplicates,
        rejected=tuple(RejectedLine(one.line, one.why) for one in kept.rejected[:REJECTED_LISTED_MAX]),
        rejected_total=len(kept.rejected),
        masked=kept.masked,
        workspaces=tuple(sorted(kept.workspaces)),
        sessions=len(kept.sessions),
        refs=tuple(kept.refs),
        dry_run=dry_run,
    )


def _spoken(request: IngestRequest) -> Iterable[Incoming]:
    if not request.session:
        raise InvalidInput("turns need the session they belong to.", "Pass session, an id of your own choice.")
    yield SessionInfo(request.session, title=request.title)
    for number, turn in enumerate(request.turns or (), 1):
        yield _turn(request.session, number, turn)


def _turn(session: str, number: int, turn: TurnIn) -> IncomingTurn | Rejected:
    try:
        at = dates.parse(turn.time) if turn.time else None
    except MunimentError as fault:
        return Rejected(number, fault.message)
    return IncomingTurn(session, turn.speaker, turn.text, at, turn.id, line=number)
