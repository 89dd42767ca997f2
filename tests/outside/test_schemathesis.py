"""schemathesis reads /openapi.json from a running server and calls every operation as it is described, and as it is not.

What it must not find: an answer of 500 or more, a status or a content type that the description does not name, a body that does
not fit its schema, a route that lets a caller in without its token. Two of its checks are left out: that all which breaks a
schema is refused (a number written as text is taken, since models and query strings write it so) and that all which fits is
taken (rules between fields, such as a text to remember, are no part of a schema).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from muniment.app import create_app
from tests.outside import programs
from tests.outside.conftest import UNPACED
from tests.stores import at
from tests.surfaces.conftest import token
from tests.surfaces.test_http import serving

pytestmark = pytest.mark.clients
EXAMPLES = 12
LEFT_OUT = "negative_data_rejection,positive_data_acceptance"


def test_every_answer_is_one_that_the_description_names(tmp_path: Path, home: Path) -> None:
    app = create_app(at(str(tmp_path / "muniment.db"), tmp_path, embedder="none"))
    secret = token(app, "owner")
    app.close()
    with serving(tmp_path, **UNPACED) as served:
        asked = ["run", f"http://127.0.0.1:{served.port}/openapi.json", "-H", f"Authorization: Bearer {secret}"]
        asked += ["--checks", "all", "--exclude-checks", LEFT_OUT, "--phases", "fuzzing", "--continue-on-failure"]
        asked += ["--max-examples", str(EXAMPLES), "--seed", "1", "--no-color"]
        program = Path(sys.executable).with_name("schemathesis")
        environment = programs.environment(home)
        done = subprocess.run([str(program), *asked], cwd=home, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        assert served.ask("/healthz") == (200, "ok")
        served.stop()
        assert b"Traceback" not in served.said
