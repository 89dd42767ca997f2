"""The stages of one ranking, for people who ask why. The traced run is the run itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from muniment.recall.assemble import Found
from muniment.recall.candidates import Candidate
from muniment.recall.fusion import Pool
from muniment.recall.look import Hits, Look

SHOWN = 30


def stages(
    look: Look, hits: Sequence[Hits], pool: Pool, candidates: Sequence[Candidate], ranked: Sequence[Found]
) -> dict[str, Any]:
    """Question plan, what each view found, every feature of the first candidates, and the final order."""
    question = look.question
    return {
        "question": {
            "bare": question.bare,
            "words": [{"term": w.term, "idf": round(w.idf, 3), "held_by": len(w.ranks)} for w in look.lexical.words],
            "speakers": list(question.speakers),
            "names": list(question.names),
            "interval": list(question.interval) if question.interval else None,
            "asks_when": question.asks_when,
            "asks_now": question.asks_now,
            "asks_past": question.asks_past,
            "era": {"mode": look.era.mode, "window": list(look.era.window) if look.era.window else None},
        },
        "views": [{"view": one.view, "found": len(one.ranks), "best": _rounded(one.scores[:5])} for one in hits],
        "pool": len(pool.ranks),
        "candidates": [
            {
                "record": one.record,
                "raw": round(one.raw, 4),
                "score": round(one.score, 4),
                "features": {name: round(float(column[one.pool]), 3) for name, column in pool.columns.items()},
                "cosine": None if pool.cosine is None else round(float(pool.cosine[one.pool]), 3),
            }
            for one in candidates[:SHOWN]
        ],
        "order": [one.record.uid for one in ranked[:SHOWN]],
    }


def _rounded(values: Any) -> list[float]:
    return [round(float(value), 4) for value in values]
