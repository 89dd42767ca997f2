"""MCP over standard input and output. Starting is a feature: clients drop the tools of a server that is slow to list them.

Only the standard library is loaded until the first tool is called. Nothing but frames ever reaches standard output.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from typing import IO, TYPE_CHECKING, Any

from muniment.errors import InvalidInput, MunimentError
from muniment.surfaces import frames, prompts, resources, rpc
from muniment.surfaces.desk import LEVEL, Desk
from muniment.surfaces.offer import EVERYDAY, local, refusal, toolsets_named, verb_of
from muniment.surfaces.tools import shipped

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from muniment.settings import Settings

CALLS_AT_ONCE_MAX = 4
CALLS_WAITING_MAX = 256
# What opens the store: it is answered from another thread.
SLOW = ("tools/call", "resources/read")
FRAME_BYTES_MAX = 16_777_216
# A moment of rest after the list, so that a client that only asks for it does not pay for the loading.
WARM_AFTER_S = 0.2
PARENT_POLL_S = 2.0
# How long calls that are under way may go on after the client has closed its end, and after it has sent a signal.
FINISH_S_MAX, FINISH_S_SIGNALLED_MAX = 60.0, 2.0


class Lines:
    """Where frames go, one at a time. A client that has gone away is not an error."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._guard = threading.Lock()

    def send(self, frame: Any) -> None:
        try:
            with self._guard:
                self._out.write(frames.write(frame) + b"\n")
                self._out.flush()
        except (OSError, ValueError):
            # OSError: the pipe is broken, or a file it leads to is full; ValueError: it was closed while the server stops.
            return


class Server:
    """One client on one pair of streams."""

    def __init__(self, settings: Settings | MunimentError, send: Callable[[Any], None]) -> None:
        self._settings = settings
        self._send = send
        self._desk = Desk(settings)
        self._peer = rpc.Peer(self)
        self._pool: ThreadPoolExecutor | None = None
        self._guard = threading.Lock()
        self._waiting: dict[Any, Future[None]] = {}
        self._cancelled: set[Any] = set()
        self._stopping = threading.Event()
        self._warming = False

    def receive(self, line: bytes) -> None:
        """Answer one frame, now or from another thread."""
        try:
            message = frames.read(line)
        except InvalidInput as error:
            self._send(rpc.failed(None, rpc.PARSE_ERROR, error.message))
            return
        if isinstance(message, list):
            self._batch(message)
            return
        method = message.get("method") if isinstance(message, dict) else None
        if method == "notifications/cancelled":
            self._cancel(message)
        elif method in SLOW and "id" in message:
            self._later(message)
        else:
            self._reply(self._peer.respond(message))
            if method == "tools/list":
                self._warm()

    def finish(self, wait_s: float) -> bool:
        """Let the calls that are under way end, then close the store; whether nothing is left running."""
        self._stopping.set()
        left = 0
        if self._pool is not None:
            from concurrent.futures import wait

            with self._guard:
                under_way = list(self._waiting.values())
            left = len(wait(under_way, timeout=wait_s).not_done)
        return left == 0 and self._desk.close()

    # --- lists and calls

    def listing(self, method: str) -> list[dict[str, Any]]:
        scopes, toolsets, read_only = self._offer()
        offered = {
            "tools/list": shipped().offered,
            "prompts/list": prompts.offered,
            "resources/list": resources.listed,
            "resources/templates/list": resources.templates,
        }
        return offered[method](scopes, toolsets, read_only=read_only)

    def prompt(self, name: Any, arguments: Any) -> dict[str, Any] | None:
        scopes, toolsets, read_only = self._offer()
        return prompts.given(name, arguments, scopes, toolsets, read_only=read_only)

    def resource(self, uri: Any) -> dict[str, Any] | None:
        from muniment.surfaces import errors

        scopes, toolsets, read_only = self._offer()
        found = resources.named(uri, scopes, toolsets, read_only=read_only)
        if found is None:
            return None
        answer = errors.outcome("resources/read", lambda: resources.opened(self._desk.context(self._peer.client), uri, *found))
        return None if isinstance(answer, MunimentError) else answer

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        from muniment.surfaces import errors

        found = errors.outcome(name, lambda: self._checked(name, arguments))
        if isinstance(found, MunimentError):
            return rpc.tool_result(errors.shown(found), failed=True)
        return rpc.tool_result(found, failed=False)

    def _checked(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        tool = shipped().named(name)
        assert tool is not None, "the peer has looked it up"
        scopes, toolsets, read_only = self._offer()
        if refused := refusal(tool, scopes, toolsets, read_only=read_only, verb=verb_of(arguments)):
            raise refused
        return self._desk.call(name, arguments, self._peer.client)

    def _offer(self) -> tuple[frozenset[str], frozenset[str] | None, bool]:
        """What the local agent may do. With settings that cannot be read the usual is listed, and every call says why."""
        from muniment.model.access import LEVEL_SCOPES

        if isinstance(self._settings, MunimentError):
            return LEVEL_SCOPES[LEVEL], frozenset(EVERYDAY), False
        held = self._settings
        return *local(LEVEL_SCOPES[LEVEL], held.stdio_toolsets, held.toolsets), held.read_only

    # --- threads

    def _later(self, message: dict[str, Any]) -> None:
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(CALLS_AT_ONCE_MAX, "muniment-call")
        number = _key(message)
        with self._guard:
            full = len(self._waiting) >= CALLS_WAITING_MAX
            if not full:
                future = self._waiting[number] = self._pool.submit(self._work, number, message)
        if full:
            words = f"More than {CALLS_WAITING_MAX} calls wait; send fewer at once."
            self._send(rpc.failed(message.get("id"), rpc.INVALID_REQUEST, words))
            return
        # Outside the guard: for a call that has ended already this runs at once, here.
        future.add_done_callback(lambda _: self._forget(number))

    def _work(self, number: Any, message: dict[str, Any]) -> None:
        response = self._peer.respond(message)
        if number not in self._cancelled:
            self._reply(response)

    def _forget(self, number: Any) -> None:
        with self._guard:
            self._waiting.pop(number, None)
            self._cancelled.discard(number)

    def _cancel(self, message: dict[str, Any]) -> None:
        """A call that has not begun never does; the answer of one that has is not sent."""
        params = message.get("params")
        number = _key({"id": params.get("requestId") if isinstance(params, dict) else None})
        with self._guard:
            future = self._waiting.get(number)
            if future is not None:
                self._cancelled.add(number)
        if future is not None:
            future.cancel()

    def _batch(self, messages: list[Any]) -> None:
        """A list of messages is answered by one list, in its order, where the revision knows lists."""
        if self._peer.version not in rpc.BATCHING or not 0 < len(messages) <= rpc.BATCH_MAX:
            self._send(rpc.failed(None, rpc.INVALID_REQUEST, "Send one message a line."))
            return
        responses = [response for message in messages if (response := self._peer.respond(message)) is not None]
        if responses:
            self._send(responses)

    def _reply(self, response: dict[str, Any] | None) -> None:
        if response is not None:
            self._send(response)

    def _warm(self) -> None:
        if not self._warming:
            self._warming = True
            threading.Thread(target=self._open, name="muniment-warm", daemon=True).start()

    def _open(self) -> None:
        if not self._stopping.wait(WARM_AFTER_S):
            from muniment.surfaces import errors

            # What keeps the store from opening is told by each call.
            errors.outcome("Opening the store", self._desk.open)


def main(arguments: list[str]) -> int:
    """`muniment stdio`: serve until standard input ends, the parent dies, or a signal comes. Answers the exit code."""
    source, out = _take_streams()
    settings = _settings(arguments)
    _log(settings)
    lines = Lines(out)
    server = Server(settings, lines.send)
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    threading.Thread(target=_watch, args=(os.getppid(),), name="muniment-parent", daemon=True).start()
    wait_s = FINISH_S_MAX
    try:
        for line in _lines(source):
            if line is None:
                lines.send(rpc.failed(None, rpc.INVALID_REQUEST, f"A frame has at most {FRAME_BYTES_MAX:,} bytes."))
            elif line.strip():
                server.receive(line)
    except SystemExit:
        wait_s = FINISH_S_SIGNALLED_MAX
    if not server.finish(wait_s):
        # A thread that is stuck would keep the process from ending; whatever it had committed is safe.
        os._exit(0)
    return 0


def _take_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the client's streams for frames alone: whatever else is printed, by Python or by C, goes to standard error."""
    sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    source, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, out


def _settings(arguments: list[str]) -> Settings | MunimentError:
    """Settings that cannot be used must not keep the server from starting: the client would only say that it failed."""
    from muniment import settings

    try:
        loaded = settings.load(flags(arguments))
        toolsets_named(loaded.toolsets)
        toolsets_named(loaded.stdio_toolsets)
    except MunimentError as error:
        return error
    return loaded


def flags(arguments: list[str]) -> dict[str, str]:
    """`--name value` and `--name=value` for every setting; a switch stands for true. Raises InvalidInput for others."""
    from muniment.settings import SETTINGS

    known = {"--" + setting.name.replace("_", "-"): setting for setting in SETTINGS if not setting.secret}
    found: dict[str, str] = {}
    left = list(arguments)
    while left:
        name, equals, value = left.pop(0).partition("=")
        setting = known.get(name)
        if setting is None:
            raise InvalidInput(
                f"`muniment stdio` knows no option {name}.", "Its options are the settings: `muniment stdio --help`."
            )
        if equals:
            found[setting.name] = value
        elif isinstance(setting.default, bool):
            found[setting.name] = "true"
        elif left:
            found[setting.name] = left.pop(0)
        else:
            raise InvalidInput(f"{name} needs a value.")
    return found


def _lines(source: IO[bytes]) -> Iterable[bytes | None]:
    """Frames; None for one that is too long, of which nothing is kept."""
    while line := source.readline(FRAME_BYTES_MAX + 1):
        if len(line) <= FRAME_BYTES_MAX:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = source.readline(FRAME_BYTES_MAX)
        yield None


def _key(message: dict[str, Any]) -> Any:
    """A request's id as something to look it up by: 1 and "1" are two."""
    number = message.get("id")
    return (type(number).__name__, number) if isinstance(number, (str, int)) else None


def _log(settings: Settings | MunimentError) -> None:
    import logging

    level = "info" if isinstance(settings, MunimentError) else settings.log_level
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("muniment").setLevel(level.upper())


def _stop(*_: object) -> None:
    raise SystemExit(0)


def _watch(parent: int) -> None:
    """A server outlives its client only when nobody reads its answers."""
    import time

    while os.getppid() == parent:
        time.sleep(PARENT_POLL_S)
    os.kill(os.getpid(), signal.SIGTERM)
