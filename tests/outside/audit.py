"""The outside tests that take longer than a change should wait for: every case of schemathesis, and mcp-fuzzer with its audits.

`python -m tests.outside.audit MCP_FUZZER` ends with 1 for a finding that is not among the answered ones below, each of which
docs/decisions/outside-tests.md explains. mcp-fuzzer has packages of its own, so it is named by its path.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from muniment.app import create_app
from tests.outside import programs
from tests.outside.conftest import UNPACED, settled
from tests.outside.test_schemathesis import LEFT_OUT
from tests.stores import at
from tests.surfaces.browser import Client
from tests.surfaces.conftest import token
from tests.surfaces.test_http import free_port, serving

SECONDS_MAX = 1800
# What the fuzzer says of requests that are as they should be, by category and target.
ANSWERED = (
    {
        # It counts every answer that is no error; these are requests without a fault, or texts that look like an attack on SQL.
        ("accepted_malformed", name)
        for name in (
            "CallToolRequest",
            "CancelledNotification",
            "GenericJSONRPCRequest",
            "GetPromptRequest",
            "InitializeRequest",
            "InitializedNotification",
            "ListPromptsRequest",
            "ListResourceTemplatesRequest",
            "ListResourcesRequest",
            "ListToolsRequest",
            "PingRequest",
            "ProgressNotification",
            "ReadResourceRequest",
            "list_projects",
            "search",
            "tokens",
        )
    }
    | {
        # An error names the unknown word that the call held, in JSON that no browser takes for a page, to whoever sent it.
        ("injection_reflection", name)
        for name in ("forget", "govern", "judge", "review", "tokens", "workspaces")
    }
    | {
        # Whoever asks may register any https address. It gets nothing by that: a person is shown the host and has to agree.
        ("dcr_malicious_binding", "authorization_server"),
        # A client may leave `state` out (RFC 6749, 4.1.1); PKCE, which every client has to use, is what binds the answer to it.
        ("weak_state", "authorization_server"),
        # It judges tools by words in their names: `fetch` and `search` read the store and reach no network.
        ("dangerous_capability_combo", "mcp_endpoint"),
    }
)


def run(home: Path, *command: str, **more: str) -> str:
    """Run a program to its end; what it printed. Its code alone says little here."""
    done = subprocess.run(
        command,
        cwd=home,
        env=programs.environment(home, more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )
    return f"{done.stdout}{done.stderr}\nended with {done.returncode}\n"


def schemathesis(folder: Path) -> list[str]:
    """Every phase but the examples, of which the description has none, for a token that may do all but administer."""
    app = create_app(at(str(folder / "muniment.db"), folder, embedder="none"))
    secret = token(app, "owner")
    app.close()
    with serving(folder, **UNPACED) as served:
        asked = ["run", f"http://127.0.0.1:{served.port}/openapi.json", "-H", f"Authorization: Bearer {secret}"]
        asked += ["--checks", "all", "--exclude-checks", LEFT_OUT, "--phases", "coverage,fuzzing,stateful"]
        asked += ["--continue-on-failure", "--max-examples", "20", "--seed", "1", "--no-color"]
        said = run(folder, str(Path(sys.executable).with_name("schemathesis")), *asked)
        served.stop()
    sys.stdout.write(said[said.find("SUMMARY") :] + "\n")
    harmed = ["the server logged a traceback"] if b"Traceback" in served.said else []
    return harmed + ([] if "ended with 0" in said else ["schemathesis found something"])


ALWAYS = ("--protocol", "streamablehttp", "--seed", "1", "--no-corpus", "--output-dir", "found")


def unanswered(folder: Path) -> list[str]:
    """The findings of a run of the fuzzer that are not answered, as text."""
    summary = json.loads((folder / "found" / "run_summary.json").read_text(encoding="utf-8"))
    found = json.loads((folder / "found" / "findings.json").read_text(encoding="utf-8"))["findings"]
    for (category, target), count in sorted(Counter((one["category"], one["target"]) for one in found).items()):
        sys.stdout.write(f"mcp-fuzzer: {category} of {target}: {count}\n")
    done = [] if summary["status"] == "completed" else [f"mcp-fuzzer did not get through: {summary}"]
    return done + [json.dumps(one) for one in found if (one["category"], one["target"]) not in ANSWERED]


def fuzz(folder: Path, fuzzer: str) -> list[str]:
    """Malformed requests of every sort, sent as somebody who has a token."""
    create_app(at(str(folder / "muniment.db"), folder, embedder="none")).close()
    port = free_port()
    command = [sys.executable, "-m", "tests.outside.bearing", str(folder / "muniment.db"), str(port)]
    with programs.running(folder, *command, PYTHONPATH=programs.SOURCES) as served:
        programs.wait_for(port, served)
        door = ("--endpoint", f"http://127.0.0.1:{port}/mcp", "--no-network")
        run(folder, fuzzer, *ALWAYS, *door, "--mode", "all", "--runs", "20", "--runs-per-type", "5")
        return unanswered(folder) + (["the server printed a traceback"] if "Traceback" in served.said else [])


def audit(folder: Path, fuzzer: str) -> list[str]:
    """The audits of who is let in and of what the tools say of themselves, by a registered client that somebody agreed to."""
    with settled(folder) as place:
        known = Client(place.person.http, redirect="http://127.0.0.1/callback")
        assert known.register().status_code == 201
        # Without a network it would skip the audits; all it is given is this machine.
        asked = ("--endpoint", place.mcp, "--mode", "tools", "--runs", "3", "--log-level", "INFO")
        oauth = ("--oauth", "--oauth-client-id", known.uid, "--oauth-no-token-cache")
        audits = ("--auth-audit", "--auth-audit-intrusive", "--security-audit", "--security-audit-intrusive")
        with programs.running(folder, fuzzer, *ALWAYS, *asked, *oauth, *audits) as one:
            place.send_back(one.until(r"(http://\S+/authorize\?\S+)")[1])
            one.end(SECONDS_MAX)
        ran = ["Auth security audit recorded", "Server audit recorded"]
        return unanswered(folder) + [f"mcp-fuzzer left out: {part}" for part in ran if part not in one.said]


def main(fuzzer: str) -> int:
    findings: list[str] = []
    for what in (schemathesis, lambda folder: fuzz(folder, fuzzer), lambda folder: audit(folder, fuzzer)):
        with tempfile.TemporaryDirectory() as folder:
            findings += what(Path(folder))
    sys.stdout.write("\n".join(findings or ["Nothing was found that is not answered."]) + "\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
