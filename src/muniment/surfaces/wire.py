"""Between JSON values and operations. A request is validated once, here, and every fault in it is told at once.

What goes out is plain: dicts, lists, texts, numbers; never None, and never an empty list that the contract can do without.
No text of it holds what its reader cannot see, unless it was read as it is stored.
"""

from __future__ import annotations

import math
import re
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from muniment.context import Context
from muniment.errors import InvalidInput
from muniment.model.fields import wire_name
from muniment.surfaces import faults
from muniment.surfaces.catalogue import Operation
from muniment.text import fence

# Operations whose answers may carry a notice: an agent reads these, and a monitor reads none of them.
TELLING = frozenset({"remember", "recall", "get_context"})
# What of a record's texts `read` opens as it is stored, whoever asks: proof has to be the very characters.
AS_STORED = "evidence"
# Every character that `fence.visible` may leave out. Most texts hold none, and looking costs a hundredth of leaving out.
HIDING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e01ef]"
)
# Most of an answer is these. They are looked at in place: an answer of recall holds 270 values, and a call for each took longer
# than all else that is done to it here.
AS_IT_IS = frozenset({str, int, bool})
LEFT_OUT = (
    "Characters that no reader sees were left out of what is shown; offsets count in the stored text, which "
    f'read(ref=…, include=["{AS_STORED}"]) opens as it is.'
)


def call(context: Context, operation: Operation, values: Any) -> dict[str, Any]:
    """Validate a request, run the operation, and answer plain values. Raises MunimentError."""
    return answer(context, operation, request_of(operation, values))


def answer(context: Context, operation: Operation, request: Any) -> dict[str, Any]:
    """Run an operation on a request that was validated before. What waits for a decision is told along, once."""
    found: dict[str, Any] = plain(operation.function()(context, request))
    if operation.name != "read" or AS_STORED not in (request.include or ()):
        found = _seen(found)
    if operation.bare:
        found.pop("meta", None)
    elif operation.name in TELLING and (told := _notice(context, request)):
        found.setdefault("meta", {})["notices"] = [told]
    return found


def _seen(found: dict[str, Any]) -> dict[str, Any]:
    """An answer without what turns a line around for its reader, or hides from it; and with a word about that."""
    if not _hides(found):
        return found
    shown: dict[str, Any] = _visible(found)
    if shown == found:
        return found
    meta = shown.get("meta", {})
    return shown | {"meta": meta | {"warnings": [*meta.get("warnings", ()), LEFT_OUT]}}


def _hides(value: Any) -> bool:
    """Whether any text of an answer holds a character that may be left out. Most answers hold none, and are not made anew."""
    if isinstance(value, str):
        return HIDING.search(value) is not None
    if isinstance(value, dict):
        return any(map(_hides, value.values()))
    return isinstance(value, list) and any(map(_hides, value))


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return fence.visible(value) if HIDING.search(value) else value
    if isinstance(value, list):
        return [_visible(part) for part in value]
    if isinstance(value, dict):
        return {name: _visible(part) for name, part in value.items()}
    return value


def _notice(context: Context, request: Any) -> str | None:
    from muniment.governance import notices

    return notices.due(context, getattr(request, "workspace", None) or getattr(request, "project_id", None))


def request_of(operation: Operation, values: Any) -> Any:
    """The request that JSON values describe. Raises InvalidInput that names all faults in plain words."""
    if not isinstance(values, dict):
        raise InvalidInput(f"The arguments of {operation.name} are not an object.", "Send a JSON object.")
    adapter = adapted(operation.request)
    try:
        try:
            return adapter.validate_python(values)
        except ValidationError as fault:
            if not any(one["type"] == "string_unicode" for one in fault.errors(include_url=False, include_input=False)):
                raise
        # Clients cut texts in the middle of an emoji; the half character is not worth a refused call.
        return adapter.validate_python(_mended(values))
    except ValidationError as fault:
        raise faults.error(operation, fault) from None


@cache
def adapted(kind: type) -> TypeAdapter[Any]:
    """pydantic's validator and schema of a dataclass, built when it is first needed."""
    return TypeAdapter(kind)


def plain(value: Any) -> Any:
    """A value as JSON knows it. Of a dataclass, None is left out, and an empty list where the field has a default."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        shown = {}
        for field_name, name, stands in _layout(type(value)):
            part = getattr(value, field_name)
            if type(part) in AS_IT_IS:
                shown[name] = part
                continue
            if part is None or (not stands and isinstance(part, (tuple, dict)) and not part):
                continue
            if (seen := plain(part)) is not None:
                shown[name] = seen
        return shown
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    raise TypeError(f"{type(value).__name__} has no place in an answer")


@cache
def _layout(kind: type) -> tuple[tuple[str, str, bool], ...]:
    """The fields of a dataclass, what callers read for each, and whether it stands even when it is empty: those without a
    default do."""
    return tuple(
        (field.name, wire_name(field), field.default is MISSING and field.default_factory is MISSING)
        for field in fields(cast(Any, kind))
    )


def _mended(value: Any) -> Any:
    """The same values with halves of characters replaced."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_mended(part) for part in value]
    if isinstance(value, dict):
        return {_mended(name): _mended(part) for name, part in value.items()}
    return value
