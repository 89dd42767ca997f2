"""What the faces of one HTTP server share: the store, who may do what, and the threads that operations run in.

An operation never runs on the event loop, and never more than CALLS_AT_ONCE_MAX of them at once. Who asks is found out in
threads of its own: however long one caller's operations take, another one is let in or turned away at once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from muniment.access import tokens
from muniment.access.oauth import grants
from muniment.app import App
from muniment.context import Context
from muniment.errors import MunimentError, StoreError, Unauthorized
from muniment.model.access import Grant
from muniment.surfaces import errors, wire
from muniment.surfaces.catalogue import Operation
from muniment.surfaces.issuer import Keeper, Missing
from muniment.surfaces.metrics import Metrics
from muniment.surfaces.offer import refusal, remote, verb_of
from muniment.surfaces.rings import Shared
from muniment.surfaces.uses import Uses
from muniment.text import plain

CALLS_AT_ONCE_MAX = 8
# A check is one short read, measured at .03 ms on SQLite, and at .4 on PostgreSQL, .3 of it our CPU: one thread has time for
# 2,000 a second. The second one goes on while the first waits for a database that is slow to answer.
CHECKS_AT_ONCE_MAX = 2
# What watches a server counts all that is kept: 30 ms of CPU at 30,000 turns. One after the other, beside both of the others.
WATCHES_AT_ONCE_MAX = 1
CLIENT_LENGTH_MAX = 200
CLIENT_HEADER = "x-muniment-client"
MCP_PATH = "/mcp"
LOG = logging.getLogger("muniment")
Answer = TypeVar("Answer")


# Threads of our own, since they last as long as the server: the store keeps one reading connection a thread.
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(CALLS_AT_ONCE_MAX, "muniment-call")


def _checks() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(CHECKS_AT_ONCE_MAX, "muniment-check")


def _watches() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(WATCHES_AT_ONCE_MAX, "muniment-watch")


def labelled(grant: Grant, *said: str | None) -> Grant:
    """A grant with the client it is used by: the label of its token, else the first that was said. It changes no right."""
    name = next((one for one in (plain.clean(text or "").strip() for text in said) if one), None)
    return grant if grant.client or name is None else replace(grant, client=name[:CLIENT_LENGTH_MAX])


@dataclass(frozen=True, slots=True)
class Served:
    """`toolsets` narrows what every token may do here; None narrows nothing. `keeper`: another issuer's tokens are taken."""

    app: App
    toolsets: frozenset[str] | None
    metrics: Metrics = field(default_factory=Metrics)
    threads: ThreadPoolExecutor = field(default_factory=_threads)
    checks: ThreadPoolExecutor = field(default_factory=_checks)
    watches: ThreadPoolExecutor = field(default_factory=_watches)
    shared: Shared | None = None
    uses: Uses = field(default_factory=Uses)
    keeper: Keeper | None = None

    async def call(
        self, grant: Grant, operation: Operation, values: Any, *, toolsets: frozenset[str] | None = None
    ) -> dict[str, Any] | MunimentError:
        """Run an operation for the bearer of a token, if the token allows it and it is one of the face's `toolsets`."""
        began = time.perf_counter()
        found: dict[str, Any] | MunimentError | None = self.refusal(grant, operation, toolsets, verb=verb_of(values))
        if found is None:
            found = await self.threaded(operation.name, lambda: wire.call(self.context(grant), operation, values))
        code = found.code if isinstance(found, MunimentError) else "ok"
        self.metrics.observe(operation.name, code, time.perf_counter() - began)
        return found

    def refusal(
        self, grant: Grant, operation: Operation, toolsets: frozenset[str] | None = None, *, verb: str | None = None
    ) -> MunimentError | None:
        shown = self.toolsets if toolsets is None else toolsets
        read_only = self.app.settings.read_only
        return refusal(operation, grant.scopes, shown, read_only=read_only, mode=grant.write_mode, verb=verb)

    def mcp_toolsets(self, grant: Grant) -> frozenset[str]:
        """What the bearer of a token is offered over MCP: the list and the calls ask this alike."""
        return remote(grant.scopes, self.app.settings.http_toolsets, self.toolsets)

    async def threaded(self, name: str, work: Callable[[], Answer]) -> Answer | MunimentError:
        """Some blocking work in a thread. Where the store lies, and why it failed, is for the log and not for a caller."""
        return await self._run(self.threads, name, work)

    async def checked(self, name: str, work: Callable[[], Answer]) -> Answer | MunimentError:
        """A short read that decides who may come in. It waits for no operation."""
        return await self._run(self.checks, name, work)

    async def watched(self, name: str, work: Callable[[], Answer]) -> Answer | MunimentError:
        """A look at how the server is. It waits for no operation, and nobody who asks for anything else waits for it."""
        return await self._run(self.watches, name, work)

    def close(self) -> None:
        """Wait for what runs. Blocks."""
        if self.keeper is not None:
            self.keeper.close()
        for pool in (self.threads, self.checks, self.watches):
            pool.shutdown(wait=True)
        self.uses.close()

    async def _run(self, pool: ThreadPoolExecutor, name: str, work: Callable[[], Answer]) -> Answer | MunimentError:
        found = await asyncio.get_running_loop().run_in_executor(pool, errors.outcome, name, work)
        if isinstance(found, StoreError):
            LOG.error("%s failed: %s", name, found.message)
            return type(found)("The store cannot be used now.", "Nothing was stored. Try again in a moment.")
        return found

    def context(self, grant: Grant) -> Context:
        # The token's own workspace comes before the server's: a request never moves a caller into another one.
        return replace(self.app.context(grant, workspace=grant.default_workspace), door="bearer", wait=False)

    async def grant(self, secret: str) -> Grant | MunimentError:
        """What the bearer of a token may do. Asked for every request, so that a revoked token ends at once."""
        if self.keeper is not None and secret.count(".") == 2 and not (self.shared and self.shared.opens(secret)):
            return await self._foreign(self.keeper, secret)

        def look() -> Grant:
            if self.shared is not None and self.shared.opens(secret):
                return self.shared.grant
            context = self.app.context()
            with self.app.store.read() as connection:
                found = tokens.find(connection, secret, context.now())
                # A token of OAuth is good for the address that it was asked for, and for no other server on this store.
                found = grants.bound(connection, found, context.base_url.rstrip("/") + MCP_PATH) if found else None
            if found is not None and found.oauth is not None and self.keeper is not None:
                found = None  # it was given out here, before logins were another issuer's
            if found is None:
                raise Unauthorized("The token is unknown, expired or revoked.")
            if found.token is not None and not self.app.settings.read_only:
                self.uses.note(self.app.store, found.token, context.now())
            return found

        return await self.checked("Checking the token", look)

    async def _foreign(self, keeper: Keeper, secret: str) -> Grant | MunimentError:
        """What the bearer of the configured issuer's token may do. With an unknown key it waits for newer ones."""

        def look() -> Grant | Missing:
            return keeper.look(self.app.store, secret, self.app.context().now())

        found = await self.checked("Checking the token", look)
        if isinstance(found, Missing) and await keeper.renewed():
            found = await self.checked("Checking the token", look)
        return found.error if isinstance(found, Missing) else found
