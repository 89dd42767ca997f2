"""A peer is another process that speaks JSON lines; what goes wrong in it is said with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment.errors import EngineUnavailable, InvalidInput
from muniment.evaluation import peers, runs
from muniment.evaluation.peers import Peer
from tests.evaluation.sets import yard
from tests.places import ROOT

PEERS = ROOT / "bench" / "peers"
BROKEN = """
import json, sys
for line in sys.stdin:
    op = json.loads(line)["op"]
    if op == "ingest":
        sys.exit(3)
    print(json.dumps({"title": "broken"} if op == "title" else {"error": "out of order"}), flush=True)
"""


def test_fts5_finds_words_by_their_stems() -> None:
    peer = Peer("fts5", PEERS)
    try:
        assert "FTS5" in peer.title
        found = runs.measure(peer, [yard()])
    finally:
        peer.close()
    assert found.of("fact")[0].ids[0] == "b"
    assert all(row.cpu_ms > 0 for row in found.rows)


def test_a_peer_says_what_it_costs() -> None:
    peer = Peer("fts5", PEERS)
    try:
        peer.keep(yard())
        assert peer.say({"op": "cost"})["bytes"] > 0
    finally:
        peer.close()


def test_an_error_of_a_peer_and_its_end_are_reported(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN, encoding="utf-8")
    peer = Peer("broken", tmp_path)
    try:
        with pytest.raises(EngineUnavailable, match="out of order"):
            peer.say({"op": "reset"})
        with pytest.raises(EngineUnavailable, match="ended with 3"):
            peer.say({"op": "ingest", "items": []})
    finally:
        peer.close()


def test_a_peer_that_needs_a_package_says_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "far.py").write_text("# requires: something==1\n", encoding="utf-8")
    with pytest.raises(EngineUnavailable, match="install far"):
        peers.command("far", tmp_path)


@pytest.mark.parametrize("name", ["nobody", "../far", "", "Far"])
def test_an_unknown_peer_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match="no peer"):
        peers.command(name, tmp_path)
