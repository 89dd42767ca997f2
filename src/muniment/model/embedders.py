"""Which model made a vector. Vectors of different specs are never compared."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """What determines a vector. `url` and `model` are for endpoints, `file_hash` for local weights."""

    provider: str  # use | minilm | openai
    model: str
    dimension: int
    file_hash: str = ""
    url: str = ""
    query_prefix: str = ""
    document_prefix: str = ""
    chars_max: int = 8000

    def hash(self) -> str:
        """Equal for two specs whose vectors may be compared (where an endpoint lives does not matter)."""
        same = asdict(self) | {"url": ""}
        return hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()[:32]
