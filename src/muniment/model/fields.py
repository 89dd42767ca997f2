"""How a request describes its own arguments. The words here become schemas, help texts and docs.

A request is a frozen dataclass whose fields are made with `arg`; the surfaces build their JSON schema,
their command-line options and their documentation from it. `model/` itself never validates.
"""

from __future__ import annotations

from dataclasses import Field, field
from typing import Any

REQUIRED: Any = object()
# Surfaces refuse a field that the request does not name (pydantic reads this attribute).
STRICT = {"extra": "forbid"}


def arg(default: Any, description: str, **limits: Any) -> Any:
    """A documented dataclass field. `limits` are JSON-Schema-like bounds: ge, le, min_length, max_length.

    Besides: `alias`, what callers write where Python has a word of its own, and `discriminator`, the field of a union's
    members that says which of them is meant.
    """
    metadata = {"description": description, **limits}
    if default is REQUIRED:
        return field(metadata=metadata)
    if isinstance(default, (list, dict)):
        raise TypeError("use a tuple or None as a default")
    return field(default=default, metadata=metadata)


def wire_name(field: Field[Any]) -> str:
    """What callers write for a field."""
    return str(field.metadata.get("alias", field.name))
