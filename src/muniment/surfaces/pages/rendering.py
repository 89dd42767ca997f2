"""From a template and plain values to a response that no other page can frame, and that loads nothing but our style sheet."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.responses import HTMLResponse, Response

from muniment.text import fence

FOLDER = "muniment.surfaces.pages"
STYLE_FILE = "muniment.css"
STYLE_S = 3600


def page(name: str, status: int = 200, *, forms: Iterable[str] = (), cookie: str = "", **values: Any) -> Response:
    """A page. `forms` are sources beside our own that a form of it may lead to; `cookie` is a header that sets one."""
    # A browser holds form-action against the address that a form's answer sends it on to as well.
    actions = " ".join(("'self'", *forms))
    headers = {
        "content-security-policy": f"default-src 'none'; style-src 'self'; form-action {actions}; base-uri 'none'; "
        "frame-ancestors 'none'",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
    }
    if cookie:
        headers["set-cookie"] = cookie
    return HTMLResponse(_templates().get_template(f"{name}.html").render(values), status, headers)


def style() -> Response:
    """The one style sheet."""
    return Response(_style(), media_type="text/css", headers={"cache-control": f"public, max-age={STYLE_S}"})


@cache
def _style() -> bytes:
    return files(FOLDER).joinpath(STYLE_FILE).read_bytes()


def _shown(value: Any) -> Any:
    """Whatever a page is given, nothing in it turns a line around or hides. Markup was made by a macro of ours."""
    return fence.visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@cache
def _templates() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(FOLDER, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
