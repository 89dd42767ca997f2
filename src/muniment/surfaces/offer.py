"""Which operations a caller may see and call. Lists and calls ask the same function, on every surface.

Nothing is imported before a call is refused: stdio answers a tool list through this module before it has loaded anything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from muniment.errors import InsufficientScope
    from muniment.model.access import WriteMode

TOOLSETS = ("connect", "recall", "write", "propose", "govern", "admin")
# What a working agent needs, and no more: a longer list costs it at every start.
EVERYDAY = ("connect", "recall", "write")
# The scope that a local agent gets only with the toolset of that name.
GOVERN = "govern"
PROPOSE = "propose"
ADMIN = "admin"
OFFERED_BY = "Add its toolset to the setting `toolsets`, or for agents to `stdio_toolsets` or `http_toolsets`."


class Offered(Protocol):
    """An operation of the catalogue, or its entry in the shipped tool list."""

    @property
    def name(self) -> str: ...
    @property
    def toolset(self) -> str: ...
    @property
    def scopes(self) -> tuple[str, ...]: ...
    @property
    def also(self) -> tuple[str, ...]: ...
    @property
    def hidden_by(self) -> tuple[str, ...]: ...
    @property
    def at_once(self) -> bool: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def reading(self) -> tuple[str, ...]: ...


def allowed(
    operation: Offered,
    scopes: frozenset[str],
    toolsets: frozenset[str] | None,
    *,
    read_only: bool,
    mode: WriteMode = "direct",
    verb: str | None = None,
) -> bool:
    """Whether a caller may see and call it: the one function that lists and calls are both checked by.

    `verb` is what a call asks for; without one it is asked whether there is anything at all to ask for.
    """
    if read_only and not reads(operation, verb):
        return False
    if mode == "propose" and operation.at_once:
        return False
    if toolsets is not None and operation.toolset not in toolsets:
        return False
    if not scopes.issuperset(operation.also) or scopes.intersection(operation.hidden_by):
        return False
    return bool(scopes.intersection(operation.scopes))


def refusal(
    operation: Offered,
    scopes: frozenset[str],
    toolsets: frozenset[str] | None,
    *,
    read_only: bool,
    mode: WriteMode = "direct",
    verb: str | None = None,
) -> InsufficientScope | None:
    """Why a call is refused, or None when it may go on."""
    if allowed(operation, scopes, toolsets, read_only=read_only, mode=mode, verb=verb):
        return None
    from muniment.access import modes
    from muniment.errors import InsufficientScope

    if read_only and not reads(operation, verb):
        return modes.only_reads()
    # What its token lacks comes before what the server shows: by default that depends on the token.
    if scopes.intersection(operation.hidden_by):
        return InsufficientScope(f"{operation.name} is for callers who may not write.", "Use remember and recall instead.")
    if mode == "propose" and operation.at_once:
        return modes.only_proposes(operation.name)
    if scopes.issuperset(operation.also) and scopes.intersection(operation.scopes):
        return InsufficientScope(f"{operation.name} is not offered here.", OFFERED_BY)
    wanted = " and ".join((" or ".join(operation.scopes), *operation.also))
    return InsufficientScope(f"{operation.name} needs the scope {wanted}.")


def reads(operation: Offered, verb: str | None = None) -> bool:
    """Whether an operation changes nothing, whatever is asked of it, or asked this verb; without one, any verb that it has."""
    return operation.read_only or (bool(operation.reading) if verb is None else verb in operation.reading)


def verb_of(values: Any) -> str | None:
    """The verb that the values of a call name; None where they name none, which validation tells better."""
    do = values.get("do") if isinstance(values, dict) else None
    verb = do.get("verb") if isinstance(do, dict) else None
    return verb if isinstance(verb, str) else None


def local(scopes: frozenset[str], everyday: str, narrowed: str) -> tuple[frozenset[str], frozenset[str]]:
    """What the agent on this machine may do: its scopes and toolsets, from the settings `stdio_toolsets` and `toolsets`.

    Whoever starts the server switches the toolset govern on, and with it gives the scope; nothing else widens a scope.
    """
    shown = toolsets_named(everyday) or frozenset(EVERYDAY)
    narrowing = toolsets_named(narrowed)
    offered = shown if narrowing is None else shown.intersection(narrowing)
    return scopes | ({GOVERN} if GOVERN in shown else frozenset()), offered


def remote(scopes: frozenset[str], everyday: str, narrowed: frozenset[str] | None) -> frozenset[str]:
    """The toolsets that a token is offered over MCP on the network, from the setting `http_toolsets`, and `toolsets` as read.

    Without a setting they are what its bearer works with: a longer list costs a model at every start. REST offers all.
    """
    named = toolsets_named(everyday)
    if named is None:
        named = frozenset(EVERYDAY)
        named |= {GOVERN} if GOVERN in scopes else set()
        named |= {ADMIN} if scopes & {"share", "admin"} else set()
        named |= {PROPOSE} if not scopes & {"append", "write"} else set()
    return named if narrowed is None else named & narrowed


def toolsets_named(setting: str) -> frozenset[str] | None:
    """The setting `toolsets` as a set, None when it narrows nothing. Raises InvalidInput for a name that is none."""
    names = frozenset(name.strip() for name in setting.split(",") if name.strip())
    if unknown := sorted(names.difference(TOOLSETS)):
        from muniment.errors import InvalidInput

        raise InvalidInput(f"There is no toolset {', '.join(unknown)}.", f"Choose from {', '.join(TOOLSETS)}.")
    return names or None
