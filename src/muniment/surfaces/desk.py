"""The local caller's door to a store: it opens when the first tool is called, and tells why when it cannot.

Nothing heavy is imported until then. A store that could not be opened is tried again with every call.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muniment.errors import MunimentError

if TYPE_CHECKING:
    from muniment.app import App
    from muniment.context import Context
    from muniment.settings import Settings
    from muniment.surfaces.background import Background
    from muniment.surfaces.catalogue import Operation

LEVEL = "operator"


class Desk:
    """`settings` may be the error that reading them ended with: then every call answers it."""

    def __init__(self, settings: Settings | MunimentError) -> None:
        self._settings = settings
        self._guard = threading.Lock()
        self._app: App | None = None
        self._background: Background | None = None
        self._closed = False
        # Where the client started this server; nothing moves it from there.
        self._folder = _folder()
        self._home: int | None = None

    def call(self, name: str, values: dict[str, Any], client: str | None) -> dict[str, Any]:
        """Run an operation for the local agent. Raises MunimentError."""
        from muniment.surfaces import wire
        from muniment.surfaces.catalogue import named

        operation = named(name)
        assert operation is not None, "the shipped tool list is made from the catalogue"
        context = self.context(client)
        request = wire.request_of(operation, values)
        return wire.answer(self._kept(context, self.open(), operation, request), operation, request)

    def context(self, client: str | None) -> Context:
        """The first argument of what the local agent does. Raises MunimentError where the store cannot be opened."""
        from dataclasses import replace

        from muniment.model.access import LEVEL_SCOPES
        from muniment.surfaces.offer import local

        app = self.open()
        scopes, _ = local(LEVEL_SCOPES[LEVEL], app.settings.stdio_toolsets, app.settings.toolsets)
        grant = replace(app.grant(LEVEL, client=client), scopes=scopes)
        return replace(app.context(grant, workspace=self._at_home(app)), door="stdio", wait=False)

    def _at_home(self, app: App) -> str | None:
        """The workspace of the folder's project as it is called now; None where a setting names one, or there is none.

        It is fixed when it is first known: a rename keeps it, and so does a folder that is moved while this server runs.
        """
        from muniment.access import folders
        from muniment.store import workspaces

        if app.settings.workspace or self._folder is None:
            return None
        with app.store.read() as connection:
            if self._home is None:
                root = folders.root_of(self._folder)
                known = folders.known(connection, root, folders.identity(root)) if root else None
                self._home = known.workspace if known else None
            if self._home is None:
                return None
            return workspaces.by_ids(connection, [workspaces.final(connection, self._home)])[0].slug

    def _kept(self, context: Context, app: App, operation: Operation, request: Any) -> Context:
        """The first thing that is kept for a project gives it its workspace; looking and deciding never do."""
        if operation.toolset != "write" or app.settings.workspace or self._folder is None:
            return context
        if getattr(request, "dry_run", False) or getattr(request, "workspace", None):
            return context
        from dataclasses import replace

        from muniment.governance import workspaces

        fixed = self._home is not None
        claimed = workspaces.claim(context, self._folder)
        self._at_home(app)
        return context if fixed else replace(context, workspace=claimed or context.workspace)

    def open(self) -> App:
        """The app, with its background running. Raises MunimentError."""
        if isinstance(self._settings, MunimentError):
            raise self._settings
        with self._guard:
            if self._app is None:
                from muniment.app import open_app
                from muniment.surfaces.background import Background

                if self._closed:
                    raise MunimentError("The server is stopping.", "Start it again.")
                self._app = open_app(self._settings)
                self._background = Background(self._app)
                self._background.start()
            return self._app

    def close(self) -> bool:
        """Stop the background and close the store; whether all of it has stopped."""
        with self._guard:
            self._closed = True
            stopped = self._background is None or self._background.close()
            if self._app is not None and stopped:
                self._app.close()
        return stopped


def _folder() -> Path | None:
    """The folder that a client started this process in; None where it is gone already."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None
