"""What a client calls at the events of a conversation: it keeps what is new, and briefs the agent at the start.

It never fails the agent's turn: whatever happens, it ends with 0, and its own faults go to a log file. It answers an
event with nothing that could make the client go on, so `stop_hook_active` cannot recurse. It loads neither numpy nor
click nor pydantic.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muniment.errors import InvalidInput, MunimentError, SchemaOlder
from muniment.surfaces import detached
from muniment.surfaces.hooklog import LINE_MAX, log
from muniment.text.counts import counted

if TYPE_CHECKING:
    from muniment.app import App
    from muniment.context import Context

EVENT_BYTES_MAX = 1024 * 1024
READ_BYTES = 65_536
# A client that sends an event and keeps the pipe open is not waited for; nor is one that sends nothing.
WAIT_S = 2.0
# One call reads this much of a transcript; the rest is left to the worker.
TRANSCRIPT_BYTES_MAX = 2 * 1024 * 1024
# A hook's write gives way to others sooner than a person's would; what it could not store is read again next time.
STORE_WAIT_MS = 2000

IMPORTING = frozenset({"stop", "sessionend", "precompact", "precompress", "subagentstop", "afteragent"})
BRIEFING = "sessionstart"


@dataclass(frozen=True, slots=True)
class Event:
    """One event as a client sent it. `name` is compared without case and underscores; `called` is its own spelling."""

    name: str
    called: str
    transcript: str | None
    cwd: str | None


@dataclass(frozen=True, slots=True)
class Mapped:
    """Path prefixes of another machine (a container's host) and what they are called here."""

    pairs: tuple[tuple[str, str], ...] = ()

    def here(self, path: str) -> Path:
        for there, here in self.pairs:
            prefix = there.rstrip("/\\")
            if path == prefix or path.startswith((f"{prefix}/", f"{prefix}\\")):
                return Path(here + path[len(prefix) :].replace("\\", "/"))
        return Path(path)

    def roots(self) -> list[Path]:
        return [Path(os.path.realpath(here)) for _, here in self.pairs]


def main(argv: Sequence[str] | None = None) -> int:
    """Read one event from stdin and serve it. Always answers 0."""
    try:
        _serve(sys.argv[1:] if argv is None else argv)
    except MunimentError as fault:
        _report(str(fault))
    except BaseException as fault:  # the agent's turn goes on, whatever our fault is
        _report(f"{type(fault).__name__}: {fault}")
    _flush()
    return 0


def _serve(argv: Sequence[str]) -> None:
    mapped, store = _options(argv)
    if sys.stdin is None or sys.stdin.isatty():
        raise InvalidInput("`muniment hook` is called by a client and reads one event on stdin.", "See `muniment install`.")
    event = parse(_read(sys.stdin.fileno()))
    if event.name == BRIEFING:
        _brief(event, mapped, store)
    elif event.name in IMPORTING:
        _import(event, mapped, store)


def _options(argv: Sequence[str]) -> tuple[Mapped, str | None]:
    """`--map HOST=HERE` (may be repeated) and `--store`. Anything else is logged and passed over."""
    pairs, store, rest = [], None, [word for word in argv if word != "hook"]
    while rest:
        word, _, value = rest.pop(0).partition("=")
        if word in ("--map", "--store") and not value and rest:
            value = rest.pop(0)
        there, _, here = value.partition("=")
        if word == "--map" and there and here:
            pairs.append((there, here))
        elif word == "--store" and value:
            store = value
        else:
            log(f"the option {word!r} is not understood")
    return Mapped(tuple(pairs)), store


def _read(descriptor: int) -> bytes:
    """The event, as soon as it is whole: some clients leave the pipe open."""
    data, until = b"", time.monotonic() + WAIT_S
    while _ready(descriptor, until - time.monotonic()):
        block = os.read(descriptor, READ_BYTES)
        data += block
        if len(data) > EVENT_BYTES_MAX:
            raise InvalidInput(f"The event is longer than {EVENT_BYTES_MAX:,} bytes.", "Nothing was kept from it.")
        if not block or (data.rstrip().endswith(b"}") and _whole(data)):
            break
    return data


def _ready(descriptor: int, seconds: float) -> bool:
    """Whether something can be read; where pipes cannot be watched, reading waits."""
    if sys.platform == "win32":
        return True
    import select

    return bool(select.select([descriptor], [], [], max(seconds, 0))[0])


def _whole(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def parse(data: bytes) -> Event:
    """The event of a payload. Raises InvalidInput for what is none; unknown fields and events are no fault."""
    try:
        payload = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as fault:
        raise InvalidInput(f"The event on stdin is not JSON ({type(fault).__name__}).", "Nothing was kept from it.") from fault
    if not isinstance(payload, dict) or not isinstance(payload.get("hook_event_name"), str):
        raise InvalidInput("The event on stdin names no hook_event_name.", "Nothing was kept from it.")
    called = payload["hook_event_name"]
    name = called.replace("_", "").replace("-", "").lower()
    own = _text(payload, "agent_transcript_path") if name == "subagentstop" else None
    return Event(name, called, own or _text(payload, "transcript_path"), _text(payload, "cwd"))


def _text(payload: Mapping[str, Any], key: str) -> str | None:
    value = payload.get(key)
    return value if isinstance(value, str) and value and "\0" not in value else None


def _brief(event: Event, mapped: Mapped, store: str | None) -> None:
    from muniment.insight import brief

    cwd = mapped.here(event.cwd) if event.cwd else None
    app, paused = _open(store)
    try:
        if cwd is not None and paused(cwd):
            return
        text = brief.brief(app.context(app.grant("viewer"), cwd=cwd))
    finally:
        app.close()
    if text:
        answer = {"hookSpecificOutput": {"hookEventName": event.called, "additionalContext": text}}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _import(event: Event, mapped: Mapped, store: str | None) -> None:
    from muniment.ingest import history

    path = _transcript(event, mapped)
    if path is None:
        return
    app, paused = _open(store)
    try:
        context = app.context(app.grant("operator"), cwd=mapped.here(event.cwd) if event.cwd else None)
        if context.read_only:
            return
        client = _client(context, path)
        if client is None:
            return
        route = history.Route(
            workspace=app.settings.workspace or None,
            cwd=mapped.here(event.cwd) if event.cwd else None,
            place=mapped.here,
            paused=paused,
        )
        context = replace(context, grant=app.grant("operator", client=client))
        done = history.import_file(context, path, client, route=route, bytes_max=TRANSCRIPT_BYTES_MAX)
        if done.rejected:
            first = done.rejected[0]
            log(f"{event.called}: left out of {path}: {counted(done.rejected_total, 'line')}; line {first.line}: {first.why}")
        if done.added or done.more:
            detached.start_worker(context)
    finally:
        app.close()


def _transcript(event: Event, mapped: Mapped) -> Path | None:
    """The transcript, if it is a regular file where one may lie; else the reason is logged."""
    if event.transcript is None:
        log(f"{event.called}: it names no transcript")
        return None
    path = Path(os.path.realpath(mapped.here(event.transcript)))
    allowed = [Path(os.path.realpath(Path.home())), *mapped.roots()]
    if not any(path.is_relative_to(root) for root in allowed):
        log(f"{event.called}: {path} lies outside of the home folder; --map names other places")
        return None
    try:
        mode = path.stat().st_mode
    except OSError as fault:
        log(f"{event.called}: {path} cannot be read ({fault.strerror})")
        return None
    if not stat.S_ISREG(mode):
        log(f"{event.called}: {path} is no regular file")
        return None
    return path


def _client(context: Context, path: Path) -> str | None:
    """Whose transcript it is; None, with a line in the log, when it is nobody's we read. An empty file says nothing."""
    from muniment.ingest import history
    from muniment.ingest.importers import claude_code, codex, discover

    known = history.known_client(context, path) or discover.sniff(path)
    if known in (claude_code.CLIENT, codex.CLIENT):
        return known
    if path.stat().st_size:
        log(f"{path} is no history of a client that Muniment reads")
    return None


def _open(store: str | None) -> tuple[App, Any]:
    """The store, made when it is the default one and missing, and whether a folder is paused."""
    from muniment import app
    from muniment.access import pauses

    settings = app.environment({"store": store, "wait_ms_max": STORE_WAIT_MS})
    held = pauses.listed()
    try:
        opened = app.open_app(settings)
    except SchemaOlder as fault:
        raise SchemaOlder(f"Nothing is kept of this conversation yet: {fault.message}", fault.do_next) from fault
    return opened, lambda folder: pauses.covers(held, folder)


def _report(line: str) -> None:
    """A fault: in the log, and as one line on stderr, which clients show only to who looks for it."""
    log(line)
    try:
        sys.stderr.write(f"muniment hook: {' '.join(line.split())[:LINE_MAX]}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return


def _flush() -> None:
    """Send what is buffered now: at the interpreter's own end a closed pipe would count as a failure."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        os._exit(0)
