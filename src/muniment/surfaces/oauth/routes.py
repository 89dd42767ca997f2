"""The routes of OAuth and its pages. Each is there only while its part of OAuth is on, and asks the store in a thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from muniment.access.oauth.external import OPENID, SERVER_METADATA
from muniment.errors import MunimentError, NotFound, Unauthorized
from muniment.surfaces.oauth import answers, authorize, connections, forms, login, metadata, record, tries
from muniment.surfaces.oauth.challenges import Challenges
from muniment.surfaces.oauth.forms import Form
from muniment.surfaces.oauth.provider import (
    AUTHORIZE,
    CONNECTIONS,
    CONSENT,
    END,
    LOGIN,
    LOGOUT,
    REGISTER,
    RESOURCE_METADATA,
    REVOKE,
    STYLE,
    TOKEN,
    Provider,
    has_pages,
    is_on,
    is_told,
    metadata_url,
)
from muniment.surfaces.oauth.register import register
from muniment.surfaces.oauth.token import revoke, token
from muniment.surfaces.pages.rendering import style
from muniment.surfaces.replies import refused
from muniment.surfaces.served import MCP_PATH

HTML = "text/html"
Endpoint = Callable[[Request], Awaitable[Response]]
Page = Callable[[Provider, Request, Form], Response]
There = Callable[[Provider], Awaitable[bool]]


def routes(held: Provider) -> list[Route]:
    """All of them. Metadata also stands where a server that is mounted under a path is asked for it."""
    server = {SERVER_METADATA, SERVER_METADATA + held.prefix}
    resource = {RESOURCE_METADATA, RESOURCE_METADATA + MCP_PATH, f"{RESOURCE_METADATA}{held.prefix}{MCP_PATH}"}
    return [
        *(Route(path, _document(held, metadata.of_server, is_on), methods=["GET"]) for path in sorted(server)),
        *(Route(path, _document(held, metadata.of_resource, is_told), methods=["GET"]) for path in sorted(resource)),
        *(Route(path, _nothing(held), methods=["GET"]) for path in sorted({OPENID, OPENID + held.prefix})),
        Route(REGISTER, _endpoint(held, tries.paced(register, tries.by_metadata)), methods=["POST"]),
        Route(TOKEN, _endpoint(held, tries.paced(token, tries.by_secret)), methods=["POST"]),
        Route(REVOKE, _endpoint(held, tries.paced(revoke, tries.by_secret)), methods=["POST"]),
        Route(AUTHORIZE, _page(held, authorize.authorize, is_on), methods=["GET"]),
        Route(CONSENT, _page(held, authorize.consent, is_on), methods=["POST"]),
        Route(LOGIN, _page(held, login.ask), methods=["GET"]),
        Route(LOGIN, _page(held, login.enter), methods=["POST"]),
        Route(LOGOUT, _page(held, login.leave), methods=["POST"]),
        Route(CONNECTIONS, _page(held, connections.listed), methods=["GET"]),
        Route(END, _page(held, connections.end), methods=["POST"]),
        Route(STYLE, _style, methods=["GET"]),
    ]


def record_page(held: Provider, challenges: Challenges) -> Endpoint:
    """The page of a record, for a browser; a program that shows no token is told how to get one."""
    return _for_browsers(held, challenges, _page(held, record.opened))


def pages_door(held: Provider, challenges: Challenges) -> Endpoint:
    """The bare address of the server leads a browser to the one page that everybody has; a program is told about tokens."""

    async def led(request: Request) -> Response:
        return answers.local(held, CONNECTIONS)

    return _for_browsers(held, challenges, led)


def _for_browsers(held: Provider, challenges: Challenges, page: Endpoint) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        browses = HTML in request.headers.get("accept", "") or held.cookie in request.cookies
        if browses and await has_pages(held):
            return await page(request)
        return await challenges.unauthorized(refused(Unauthorized("The request carries no token."), tried=False), tried=False)

    return endpoint


def _document(held: Provider, made: Callable[[Provider], dict[str, object]], there: There) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return answers.document(made(held)) if await there(held) else answers.absent(held)

    return endpoint


def _endpoint(held: Provider, work: Callable[[Provider, Request], Awaitable[Response]]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await work(held, request) if await is_on(held) else answers.absent(held)

    return endpoint


def _page(held: Provider, work: Page, there: There = has_pages) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        if not await there(held):
            return answers.shut(held) if HTML in request.headers.get("accept", "") else answers.absent(held)
        form = await forms.of_body(request) if request.method == "POST" else forms.of_query(request)
        found = await held.served.threaded("A page", lambda: work(held, request, form))
        return answers.unable(held, found) if isinstance(found, MunimentError) else found

    return endpoint


def _nothing(held: Provider) -> Endpoint:
    """Not an OpenID provider. Clients ask here before they look elsewhere, and a page in HTML would confuse them."""

    async def endpoint(request: Request) -> Response:
        fault = NotFound("There is no OpenID provider here.", f"Ask {metadata_url(held)}.")
        return refused(fault, status=404)

    return endpoint


async def _style(request: Request) -> Response:
    return style()
