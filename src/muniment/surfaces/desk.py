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

    def call(self, name: str, values: dict[str, Any], client: str | None) -> dict[str, Any]:
        """Run an operation for the local agent. Raises MunimentError."""
        from muniment.surfaces import wire
        from muniment.surfaces.catalogue import named

        operation = named(name)
        assert operation is not None, "the shipped tool list is made from the catalogue"
        context = self.context(client)
        request = wire.request_of(operation, values)
        return wire.answer(_at_home(context, self.open(), operation, request), operation, request)

    def context(self, client: str | None) -> Context:
        """The first argument of what the local agent does. Raises MunimentError where the store cannot be opened."""
        from dataclasses import replace

        from muniment.model.access import LEVEL_SCOPES
        from muniment.surfaces.offer import local

        app = self.open()
        scopes, _ = local(LEVEL_SCOPES[LEVEL], app.settings.stdio_toolsets, app.settings.toolsets)
        grant = replace(app.grant(LEVEL, client=client), scopes=scopes)
        return replace(app.context(grant, cwd=Path.cwd()), door="stdio", wait=False)

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


def _at_home(context: Context, app: App, operation: Operation, request: Any) -> Context:
    """The first thing that is kept for a project gives it its workspace; looking and deciding never do."""
    if operation.toolset != "write" or app.settings.workspace:
        return context
    if getattr(request, "dry_run", False) or getattr(request, "workspace", None):
        return context
    from dataclasses import replace

    from muniment.governance import workspaces

    return replace(context, workspace=workspaces.claim(context, Path.cwd()) or context.workspace)
