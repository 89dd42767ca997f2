"""Spans of a text: what names something, found by shape. Offsets are code points, half-open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SpanSort = Literal["name", "date", "quantity", "path", "symbol", "env", "url", "title"]


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int
    sort: SpanSort
    surface: str
