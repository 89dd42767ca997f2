"""What is told about a record beside its text: what it is, how far it is believed, and where it came from.

Page, plain text and resource say the same of it, in the same words and order, and no stored value steers its reader.
"""

from __future__ import annotations

from typing import Any

from muniment.text import fence

STANDING = ("ref", "kind", "state", "version")
# A field of the provenance, and what people call it.
ORIGIN = {
    "workspace": "workspace",
    "title": "conversation",
    "speaker": "said by",
    "at": "said at",
    "recorded_at": "recorded at",
    "source_type": "source",
    "source_ref": "from",
    "url": "address",
    "client": "through",
}
# `through` names the program; this is whose it was.
WRITER = {"by": "written by"}

Facts = list[tuple[str, str]]


def facts(record: dict[str, Any]) -> Facts:
    """Label and value of all that is known of a record as `read` answers it. What somebody else worded comes last."""
    standing = [(name, str(record[name])) for name in STANDING]
    belief = [("trust", f"{record['trust']:.2f}"), ("taint", str(record.get("taint", 0)))]
    return standing + belief + known(record["provenance"], ORIGIN) + known(record, WRITER)


def known(found: dict[str, Any], names: dict[str, str]) -> Facts:
    """The fields that are there, under the names that people know them by."""
    return [(shown, fence.visible(str(found[name]))) for name, shown in names.items() if found.get(name)]
