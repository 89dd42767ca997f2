"""The composition root: settings become a store, engines and a context. Nothing else reads settings.

Opening verifies the store and never changes it. A store that was named but is not there is an error, not a new store.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muniment.access import folders, policy
from muniment.access.cursors import CURSOR_KEY
from muniment.context import Context, Engines, Shelf
from muniment.engines.embed import Embedder
from muniment.errors import InvalidInput, StoreError, StoreMissing
from muniment.model.access import LEVEL_SCOPES, LOCAL, Grant
from muniment.model.embedders import EmbedderSpec
from muniment.settings import Settings, load, store_path
from muniment.store import generations, migrate, workspaces
from muniment.store.connections import Connection, Reach, Store
from muniment.text import plain

if TYPE_CHECKING:
    from muniment.store.postgres_admin import Established

SERVER_ADDRESS = ("postgresql://", "postgres://")
# What pipx made is an environment that the pip of a shell does not reach.
EXTRA = "Run `pip install 'muniment[postgres]'`, or, where pipx installed it, `pipx inject muniment 'psycopg[binary,pool]'`."


def now_ms() -> int:
    """The clock of this machine: Unix milliseconds UTC."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class App:
    """An open store with the engines of this process. `context` makes the first argument of every operation."""

    settings: Settings
    store: Store
    engines: Engines
    shelf: Shelf
    principal: int

    def context(self, grant: Grant | None = None, *, cwd: Path | None = None, workspace: str | None = None) -> Context:
        """A context for a caller: the local owner of the store when no grant is given."""
        grant = grant or self.grant("admin")
        slug = workspace or self.settings.workspace or grant.default_workspace or None
        if slug:
            with self.store.read() as connection:
                slug = policy.current_of(grant, connection, slug)
        elif cwd is not None:
            slug = folders.workspace_of(self.store, cwd)
        return Context(
            store=self._walled(grant),
            grant=grant,
            engines=self.engines,
            clock=now_ms,
            entropy=os.urandom,
            workspace=policy.INBOX if slug is None else slug,
            session=self.settings.session or None,
            base_url=self.settings.base_url or f"http://{self.settings.host}:{self.settings.port}",
            redact=self.settings.redact,
            read_only=self.settings.read_only,
            scan_every_hours=self.settings.scan_every_hours,
            isolation=self.settings.isolation,
            ring=self.settings.ring,
            shelf=self.shelf,
            whole=self.store,
        )

    def grant(self, level: str, *, client: str | None = None) -> Grant:
        """What a caller on this machine may do, who holds the store's file and so needs no token."""
        return Grant(self.principal, LOCAL, LEVEL_SCOPES[level], client=plain.clean(client) if client else None)

    def _walled(self, grant: Grant) -> Store:
        """The store as far as a grant reaches: the whole one only for a caller without walls."""
        if not policy.walled(grant):
            return self.store
        with self.store.read() as connection:
            named = workspaces.all_of(connection) if grant.read is None else workspaces.by_slugs(connection, grant.read)
        seen = [place for place in named if policy.visible(grant, place)]
        written = seen if grant.write is None else [place for place in seen if place.slug in grant.write]
        return self.store.within(Reach(frozenset(one.id for one in seen), frozenset(one.id for one in written)))

    def close(self) -> None:
        self.store.close()


def where(settings: Settings) -> str:
    """The address of the store: as it was named, or the default file."""
    return settings.store or str(store_path())


def open_app(settings: Settings) -> App:
    """Open the store. The default file is made when it is missing; a named one is not.

    Raises StoreMissing, StoreForeign, SchemaOlder or SchemaNewer with what to do next.
    """
    if settings.store:
        return _opened(settings, _store(settings))
    if store_path().exists():
        try:
            return _opened(settings, _store(settings))
        except StoreMissing:
            # Another process is making it just now, or was stopped while it did.
            return create_app(settings)
    return create_app(settings)


def create_app(settings: Settings) -> App:
    """Make the store, or bring a half-made one to its end. Safe to repeat and to race.

    On PostgreSQL what is missing is made through the setting `store_admin`, and the store is then opened as any other.
    """
    if administered(settings):
        establish(settings)
        return _opened(settings, _store(settings))
    store = _store(settings, create=True)
    try:
        _brought_up(store)
        with store.write() as connection:
            _furnish(connection)
    except BaseException:
        store.close()
        raise
    return _opened(settings, store)


def establish(settings: Settings) -> Established:
    """Bring a PostgreSQL store up to date under the role that owns it: roles, schema, rights, furniture, login role."""
    with _postgres():
        from muniment.store.postgres_admin import PostgresAdmin

    owner = PostgresAdmin(settings.store_admin, wait_ms_max=settings.wait_ms_max, masks=settings.redact)
    try:
        done = owner.establish(settings.store, now_ms())
        with owner.write() as connection:
            _furnish(connection)
        return done
    finally:
        owner.close()


def upgrade_app(settings: Settings) -> list[str]:
    """Apply the migrations that an older store lacks; answers their names."""
    if administered(settings):
        return list(establish(settings).applied)
    store = _store(settings)
    try:
        return _brought_up(store)
    finally:
        store.close()


def _brought_up(store: Store) -> list[str]:
    """Apply the migrations that a store lacks; answers their names. Of a file with an older schema a copy is kept beside it."""
    path = store.path
    if path is not None and store.version() and migrate.pending(store):
        store.backup(path.with_name(f"{path.name}.before-upgrade-{now_ms()}"))
    return [migration.name for migration in migrate.apply(store, now_ms())]


def administered(settings: Settings) -> bool:
    """Whether the settings name who owns a PostgreSQL store."""
    return bool(settings.store_admin) and settings.store.startswith(SERVER_ADDRESS)


def _opened(settings: Settings, store: Store) -> App:
    try:
        migrate.verify(store)
        with store.read() as connection:
            row = connection.one("principal_by_name", {"name": LOCAL})
        if row is None:
            raise StoreMissing(f"{store.where} is only half made.", "Run `muniment init` on it.")
    except BaseException:
        store.close()
        raise
    return App(settings, store, _engines(settings), Shelf(), row[0])


@contextmanager
def _postgres() -> Iterator[None]:
    """Imports of what an extra brings. Raises StoreError where it was not asked for."""
    try:
        yield
    except ImportError as fault:
        raise StoreError("PostgreSQL support is not installed.", EXTRA) from fault


def _store(settings: Settings, *, create: bool = False) -> Store:
    """The store of the settings; `create` makes a file that is not there."""
    address = where(settings)
    if address.startswith(SERVER_ADDRESS):
        with _postgres():
            from muniment.store.postgres import PostgresStore

        admin, prepare = settings.store_admin, settings.prepare
        return PostgresStore(address, wait_ms_max=settings.wait_ms_max, prepare=prepare, admin=admin)
    from muniment.store.sqlite import SqliteStore

    return SqliteStore(_file(address), durability=settings.durability, wait_ms_max=settings.wait_ms_max, create=create)


def _file(address: str) -> Path:
    """The file an address names. Raises InvalidInput for what can name none, before anything is made of it."""
    advice = "Name a file, or a postgresql:// address."
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*://", address):
        raise InvalidInput(f"{address.partition('://')[0]}:// is no store that Muniment knows.", advice)
    try:
        address.encode()
        return Path(address).expanduser()
    except UnicodeEncodeError:
        raise InvalidInput(f"The path of the store is not UTF-8: {plain.clean(address)}", advice) from None
    except RuntimeError as fault:  # `~name` of nobody here, or no home folder at all
        raise InvalidInput(f"{address} names no file: {fault}", advice) from None


def _engines(settings: Settings) -> Engines:
    key = settings.embedding_api_key

    def build(spec: EmbedderSpec, api_key: str) -> Embedder:
        from muniment.engines import choose

        return choose.build(spec, api_key=key or api_key)

    return Engines(build, off="switched off by the setting embedder=none" if settings.embedder == "none" else "")


def _furnish(connection: Connection) -> None:
    """What every store holds from the start: its owner, the two first workspaces, and the default embedder."""
    from muniment.engines import choose
    from muniment.model.ids import uid_run

    now = now_ms()
    uids = uid_run(now, os.urandom(10), 4)
    connection.run("principal_add", {"uid": uids[0], "name": LOCAL, "kind": "person", "level": "admin", "now": now})
    workspaces.add(connection, uid=uids[1], slug=policy.GLOBAL, name="Shared knowledge", kind="shared", root=None, now=now)
    workspaces.add(connection, uid=uids[2], slug=policy.INBOX, name="Inbox", kind="inbox", root=None, now=now)
    if connection.one("meta_get", {"key": CURSOR_KEY}) is None:
        connection.run("meta_set", {"key": CURSOR_KEY, "value": os.urandom(32).hex()})
    workspaces.hold_all(connection)
    if not generations.all_of(connection):
        spec = choose.default_spec()
        connection.run(
            "generation_add",
            {
                "uid": uids[3],
                "spec_hash": spec.hash(),
                "spec": generations.spec_text(spec),
                "api_key": "",
                "dimension": spec.dimension,
                "state": "live",
                "now": now,
                "live_at": now,
            },
        )


def environment(flags: Mapping[str, Any] | None = None) -> Settings:
    """The settings of this process."""
    return load(flags)
