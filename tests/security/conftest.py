"""The server and the people of the tests of OAuth, for what is tried on all of the server's faces together."""

from tests.surfaces.cli.conftest import home
from tests.surfaces.conftest import configured
from tests.surfaces.oauth.conftest import app, asgi, client, enrol, machine, maren, person, secret_hash

__all__ = ["app", "asgi", "client", "configured", "enrol", "home", "machine", "maren", "person", "secret_hash"]
