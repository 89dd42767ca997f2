"""Every error Muniment raises on purpose. Each one says what happened and what to do next.

    MunimentError
    ├── InvalidInput            a request or a file that cannot be used as it is
    │   ├── InvalidCursor       a cursor that is not ours, or no longer fits its question
    │   └── LimitExceeded       a text, batch or list over its named limit
    ├── NotFound                an id that opens nothing the caller may read
    ├── UnknownWorkspace        a workspace of yours that was archived or renamed, or to write to and not there
    ├── Unauthorized            no token, or one that is unknown, expired or revoked
    ├── InsufficientScope       a token that may not do this
    ├── ForbiddenScope          a workspace that this token may not see or write, whether it is there or not
    ├── StaleVersion            an edit of a version that is no longer the newest
    │   └── StaleConflict       a conflict that changed since it was read
    ├── ProtectedTarget         a record that this caller, or this way, may not change
    ├── ConfirmationRequired    a call that has to be confirmed; carries its impact and the value that confirms it
    ├── RequestMismatch         a request_id that came with another payload before
    ├── StoreError              the store file or database itself
    │   ├── StoreMissing        a store that was named but does not exist
    │   ├── StoreForeign        a file or database that belongs to another program
    │   ├── SchemaOlder         a store that `muniment upgrade` has to bring up to date
    │   ├── SchemaNewer         a store written by a newer Muniment
    │   ├── StoreBusy           another process held the store too long
    │   └── StoreFull           no room left on the disk
    └── EngineUnavailable       a model or endpoint that cannot be used now

Surfaces turn `code` into an HTTP status, an MCP error or an exit code; nobody else reads it.
"""

from __future__ import annotations


class MunimentError(Exception):
    """The root of the tree. `message` says what happened, `do_next` what to do about it."""

    code = "unavailable"
    do_next_default = "Run `muniment doctor` and read its advice."

    def __init__(self, message: str, do_next: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.do_next = do_next or self.do_next_default

    def __str__(self) -> str:
        return f"{self.message} {self.do_next}".strip()


class InvalidInput(MunimentError):
    code = "invalid_input"
    do_next_default = "Correct the input and call again."


class InvalidCursor(InvalidInput):
    code = "invalid_cursor"
    do_next_default = "Start again without a cursor."


class LimitExceeded(InvalidInput):
    code = "limit_exceeded"
    do_next_default = "Send less in one call."


class NotFound(MunimentError):
    code = "not_found"
    do_next_default = "Use an id that recall, search or read returned."


class UnknownWorkspace(MunimentError):
    code = "unknown_project"
    do_next_default = "List the workspaces with list_projects or `muniment workspace list`."


class Unauthorized(MunimentError):
    code = "unauthorized"
    do_next_default = "Send a valid token as `Authorization: Bearer …`; `muniment token add` makes one."


class InsufficientScope(MunimentError):
    code = "insufficient_scope"
    do_next_default = "Use a token with that scope; `muniment token list` shows what each may do."


class ForbiddenScope(MunimentError):
    code = "forbidden_scope"
    do_next_default = "Use a workspace that list_projects returns."


class StaleVersion(MunimentError):
    code = "stale_version"
    do_next_default = "Read the record again and repeat the change on its newest version."


class StaleConflict(StaleVersion):
    code = "stale_conflict"
    do_next_default = "Read the conflict again with review and repeat on its newest revision."


class ProtectedTarget(MunimentError):
    code = "protected_target"
    do_next_default = "Do not retry. Tell the owner, who can change its protection with `muniment govern protect`."


class ConfirmationRequired(MunimentError):
    """`impact` says in plain words what the call would do; `confirm` is good for this very call, once."""

    code = "confirmation_required"
    do_next_default = "Show the impact to whoever decides; then repeat the same call with this `confirm`."

    def __init__(self, impact: str, confirm: str) -> None:
        super().__init__(impact)
        self.impact = impact
        self.confirm = confirm


class RequestMismatch(MunimentError):
    code = "request_mismatch"
    do_next_default = "Use a new request_id for a new request."


class StoreError(MunimentError):
    code = "unavailable"


class StoreMissing(StoreError):
    do_next_default = "Create it with `muniment init --store PATH`, or correct the path."


class StoreForeign(StoreError):
    do_next_default = "Nothing was changed. Name another path with --store."


class SchemaOlder(StoreError):
    do_next_default = "Run `muniment upgrade`; it keeps a copy of the store first."


class SchemaNewer(StoreError):
    do_next_default = "Install the newer Muniment that wrote it; nothing was changed."


class StoreBusy(StoreError):
    do_next_default = "Nothing was stored. Try again; if that does not help, end the other programs that use the store."


class StoreFull(StoreError):
    do_next_default = "Nothing of this call was stored. Free some disk space and try again."


class EngineUnavailable(MunimentError):
    code = "unavailable"
    do_next_default = "Run `muniment embedder test`."
