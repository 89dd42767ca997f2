"""Looking after workspaces: what the operation `workspaces` takes and gives. The verb of `do` decides its other fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from muniment.model.access import DataClass, Isolation
from muniment.model.fields import REQUIRED, STRICT, arg
from muniment.model.recalling import Meta

NAME_MAX = 200
REASON_MAX = 2000
# Records that one call moves by their refs; a session or a workspace moves whole, however many they are.
REFS_MAX = 1000
WorkspaceKind = Literal["project", "client", "shared"]


@dataclass(frozen=True, slots=True)
class AddWorkspace:
    """Make a workspace."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["add"] = arg(REQUIRED, "add")
    slug: str = arg(REQUIRED, "Its name: letters and digits, joined by hyphens.", min_length=1, max_length=NAME_MAX)
    name: str | None = arg(None, "A name for people (default: the slug).", max_length=NAME_MAX)
    kind: WorkspaceKind = arg("project", "What it is for.")
    data_class: DataClass = arg("internal", "How confidential it is.")
    isolation: Isolation | None = arg(None, "Default: the setting isolation.")


@dataclass(frozen=True, slots=True)
class ListWorkspaces:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["list"] = arg(REQUIRED, "list")
    archived: bool = arg(False, "Those too that were archived.")


@dataclass(frozen=True, slots=True)
class ShowWorkspace:
    """One workspace with what it holds, the names that lead to it, and those it is kept apart from."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["show"] = arg(REQUIRED, "show")
    workspace: str = arg(REQUIRED, "Its name.", min_length=1, max_length=NAME_MAX)


@dataclass(frozen=True, slots=True)
class RenameWorkspace:
    """Give it another name. The old one goes on leading to it, and no other workspace can take it."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["rename"] = arg(REQUIRED, "rename")
    workspace: str = arg(REQUIRED, "Its name.", min_length=1, max_length=NAME_MAX)
    to: str = arg(REQUIRED, "The new name.", min_length=1, max_length=NAME_MAX)
    name: str | None = arg(None, "A new name for people.", max_length=NAME_MAX)


@dataclass(frozen=True, slots=True)
class MergeWorkspace:
    """Move everything of it into another one. It ends archived, and its name leads to the other one."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["merge"] = arg(REQUIRED, "merge")
    workspace: str = arg(REQUIRED, "What is to end.", min_length=1, max_length=NAME_MAX)
    into: str = arg(REQUIRED, "What takes it in.", min_length=1, max_length=NAME_MAX)


@dataclass(frozen=True, slots=True)
class MoveRecords:
    """Move some memories and documents, or a whole session, with their versions, links and claims."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["move"] = arg(REQUIRED, "move")
    into: str = arg(REQUIRED, "The workspace that takes them in.", min_length=1, max_length=NAME_MAX)
    records: tuple[str, ...] = arg((), "Refs of memories and documents of one workspace.", max_length=REFS_MAX)
    session: str | None = arg(None, "A session's ref (s_…); its turns move with it.", max_length=100)


@dataclass(frozen=True, slots=True)
class ArchiveWorkspace:
    """Take it out of every list and answer; its records stay stored."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["archive"] = arg(REQUIRED, "archive")
    workspace: str = arg(REQUIRED, "Its name.", min_length=1, max_length=NAME_MAX)


@dataclass(frozen=True, slots=True)
class RestoreWorkspace:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["restore"] = arg(REQUIRED, "restore")
    workspace: str = arg(REQUIRED, "The name of one that was archived.", min_length=1, max_length=NAME_MAX)


@dataclass(frozen=True, slots=True)
class SetWorkspace:
    """Who may see it, and what its questions cover."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["set"] = arg(REQUIRED, "set")
    workspace: str = arg(REQUIRED, "Its name.", min_length=1, max_length=NAME_MAX)
    data_class: DataClass | None = arg(None, "Who lacks this class does not see that the workspace is there.")
    isolation: Isolation | None = arg(
        None, "none: a question covers it and global; weak: everything, it first; strict: it alone, and no other one finds it."
    )
    admits_similar: bool | None = arg(None, "Whether a strict one also reads those of nearly its name.")


@dataclass(frozen=True, slots=True)
class ConfirmWorkspace:
    """Make one active that waits since its name was new."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["confirm"] = arg(REQUIRED, "confirm")
    workspace: str = arg(REQUIRED, "Its name.", min_length=1, max_length=NAME_MAX)


@dataclass(frozen=True, slots=True)
class KeepSeparate:
    """A name is not another spelling of a workspace, and is never proposed for it again; `no_longer` takes that back."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["keep_separate"] = arg(REQUIRED, "keep_separate")
    name: str = arg(REQUIRED, "The name.", min_length=1, max_length=NAME_MAX)
    workspace: str = arg(REQUIRED, "The workspace that it is not.", min_length=1, max_length=NAME_MAX)
    no_longer: bool = arg(False, "Take such a decision back.")


@dataclass(frozen=True, slots=True)
class Candidates:
    """Which workspaces a name may be a slip of. Nothing is taken for one of them unasked."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["candidates"] = arg(REQUIRED, "candidates")
    name: str = arg(REQUIRED, "The name.", min_length=1, max_length=NAME_MAX)


@dataclass(frozen=True, slots=True)
class Redirects:
    """Names that lead elsewhere, and names that are kept apart."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["redirects"] = arg(REQUIRED, "redirects")


Managed = (
    AddWorkspace
    | ListWorkspaces
    | ShowWorkspace
    | RenameWorkspace
    | MergeWorkspace
    | MoveRecords
    | ArchiveWorkspace
    | RestoreWorkspace
    | SetWorkspace
    | ConfirmWorkspace
    | KeepSeparate
    | Candidates
    | Redirects
)
# The verbs that change nothing, and so are there where nothing may be changed.
READING = ("list", "show", "candidates", "redirects")


@dataclass(frozen=True, slots=True)
class WorkspacesRequest:
    """Look after workspaces. What cannot be taken lightly is confirmed first."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    do: Managed = arg(REQUIRED, "What to do.", discriminator="verb")
    reason: str | None = arg(None, "Why, for the ledger.", max_length=REASON_MAX)
    confirm: str | None = arg(None, "The value that confirmation_required gave for this very call.", max_length=200)


@dataclass(frozen=True, slots=True)
class WorkspaceSeen:
    """A workspace as its admin sees it. `root` is the folder of its project; `led_by` are former names that lead to it,
    `apart` names that it is not; `merged_into` names where its records went."""

    slug: str
    ref: str
    name: str
    kind: str
    state: str
    data_class: DataClass
    isolation: Isolation
    admits_similar: bool
    records: int
    sessions: int
    last_at: str | None = None
    root: str | None = None
    merged_into: str | None = None
    led_by: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AliasSeen:
    """`redirect`: the name leads to the workspace. `keep_separate`: it is not another spelling of it."""

    name: str
    workspace: str
    decision: str


@dataclass(frozen=True, slots=True)
class WorkspacesAnswer:
    """`workspaces` are those that were asked for, or that changed; `counts` what moved; `reverse` is how to take it back."""

    verb: str
    workspaces: tuple[WorkspaceSeen, ...] = ()
    action: str | None = None
    counts: dict[str, int] | None = None
    redirects: tuple[AliasSeen, ...] = ()
    candidates: tuple[str, ...] = ()
    reverse: str | None = None
    meta: Meta = field(default_factory=Meta)
