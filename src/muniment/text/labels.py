"""Labels as they are compared: width, case and white space make no difference."""

from __future__ import annotations

import re
import unicodedata


def norm(value: str) -> str:
    """The form under which a label is stored and looked up."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", value)).strip().casefold()
