"""The endpoint embedder against a real local server: order, checks, one retry, the breaker, and a key that stays secret."""

from __future__ import annotations

import dataclasses
import logging
import threading
import traceback

import numpy as np
import pytest

from muniment.engines import choose, endpoint
from muniment.errors import EngineUnavailable, InvalidInput
from tests.engines.server import Script, embedded, running

KEY = "sk-very-secret-0123456789"


class Time:
    """A clock that moves only when somebody sleeps or the test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def server():
    with running(Script()) as script:
        yield script


@pytest.fixture
def time():
    return Time()


def connected(server: Script, time: Time, *, timeout_s: float = 5.0, key: str = KEY, **changes) -> endpoint.Endpoint:
    spec = dataclasses.replace(endpoint.spec_for(f"tiny@{server.url}"), dimension=4, **changes)
    return endpoint.Endpoint(spec, key, timeout_s=timeout_s, clock=time.clock, sleep=time.sleep, jitter=lambda: 0.5)


def lengths(rows: np.ndarray) -> list[int]:
    return [round(float(row[0] / row[1])) for row in rows]


def test_texts_become_unit_rows_and_the_key_goes_in_the_header(server, time):
    rows = connected(server, time).encode(["a", "bbb"])
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert lengths(rows) == [1, 3]
    assert server.paths == ["/v1/embeddings"]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.bodies[0] == {"model": "tiny", "input": ["a", "bbb"], "encoding_format": "float"}


def test_no_key_sends_no_authorization(server, time):
    connected(server, time, key="").encode(["a"])
    assert "Authorization" not in server.headers[0]


def test_answers_out_of_order_are_put_in_order_by_index(server, time):
    answer = embedded(["a", "bb", "ccc"], 4)
    answer["data"].reverse()
    server.steps = [(200, {}, answer)]
    assert lengths(connected(server, time).encode(["a", "bb", "ccc"])) == [1, 2, 3]


def test_a_request_holds_at_most_sixty_four_texts(server, time):
    texts = ["x" * (1 + place % 7) for place in range(130)]
    rows = connected(server, time).encode(texts)
    assert [len(body["input"]) for body in server.bodies] == [64, 64, 2]
    assert lengths(rows) == [len(text) for text in texts]


def test_texts_are_cut_before_the_prefix_and_blank_ones_are_not_sent(server, time):
    embedder = connected(server, time, chars_max=3, query_prefix="query: ", document_prefix="doc: ")
    rows = embedder.encode(["abcdef", "  ", ""])
    embedder.encode(["abcdef"], query=True)
    assert [body["input"] for body in server.bodies] == [["doc: abc"], ["query: abc"]]
    assert rows[1].tolist() == rows[2].tolist() == [1, 0, 0, 0]


def test_only_blank_texts_call_nobody(server, time):
    assert connected(server, time).encode([" ", "\n"]).shape == (2, 4)
    assert server.bodies == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (embedded(["a", "b"], 5), "shape"),
        (embedded(["a"], 4), "not one for each of 2 texts"),
        ({"data": [{"index": 0, "embedding": [1, 2, 3, 4]}] * 2}, "not one for each of 2 texts"),
        ({"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2, 3]}]}, "cannot be used"),
        (b'{"data": [{"index": 0, "embedding": [NaN, 1, 1, 1]}, {"index": 1, "embedding": [1, 1, 1, 1]}]}', "finite"),
        (b'{"data": [{"index": 0, "embedding": [1e39, 1, 1, 1]}, {"index": 1, "embedding": [1, 1, 1, 1]}]}', "finite"),
        ({"data": [{"index": 0, "embedding": [0] * 4}, {"index": 1, "embedding": [1] * 4}]}, "all zeros"),
        ({"data": [{"index": 0, "embedding": "AAAA"}, {"index": 1, "embedding": "AAAA"}]}, "cannot be used"),
        ({"error": "none"}, "cannot be used"),
        ([], "cannot be used"),
        (b"<html>", "did not answer with JSON"),
    ],
)
def test_an_answer_that_does_not_fit_the_question_is_refused(server, time, answer, said):
    server.steps = [(200, {}, answer)]
    with pytest.raises(EngineUnavailable, match=said):
        connected(server, time).encode(["a", "b"])


def test_answers_without_indexes_are_taken_in_their_order(server, time):
    answer = {"data": [{"embedding": [1, 1, 0, 0]}, {"embedding": [2, 1, 0, 0]}]}
    server.steps = [(200, {}, answer)]
    assert lengths(connected(server, time).encode(["a", "b"])) == [1, 2]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_trouble_is_tried_again_once_after_a_jittered_pause(server, time, status):
    server.steps = [(status, {}, {})]
    assert connected(server, time).encode(["a"]).shape == (1, 4)
    assert time.slept == [endpoint.BACK_OFF_S * 1.5]
    assert len(server.bodies) == 2


def test_a_trouble_that_stays_is_tried_twice_and_no_more(server, time):
    server.steps = [(500, {}, {})] * 5
    with pytest.raises(EngineUnavailable, match="answered 500"):
        connected(server, time).encode(["a"])
    assert len(server.bodies) == 2


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_not_tried_again(server, time, status):
    server.steps = [(status, {}, {"error": {"message": "model not found"}})]
    with pytest.raises(EngineUnavailable, match=f"answered {status}.*model not found"):
        connected(server, time).encode(["a"])
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "3"},
        {"Retry-After": "Mon, 30 Nov 2026 10:00:03 GMT", "Date": "Mon, 30 Nov 2026 10:00:00 GMT"},
    ],
)
def test_retry_after_is_waited_for(server, time, headers):
    server.steps = [(429, headers, {})]
    connected(server, time).encode(["a"])
    assert time.slept == [3.0]
    assert len(server.bodies) == 2


def test_a_longer_retry_after_than_we_wait_fails_at_once(server, time):
    server.steps = [(429, {"Retry-After": str(int(endpoint.RETRY_AFTER_S_MAX) + 1)}, {})]
    with pytest.raises(EngineUnavailable, match="answered 429"):
        connected(server, time).encode(["a"])
    assert (time.slept, len(server.bodies)) == ([], 1)


def test_a_timeout_is_tried_again_once(server, time):
    server.steps = [30.0]
    assert connected(server, time, timeout_s=0.2).encode(["a"]).shape == (1, 4)
    assert len(server.bodies) == 2


def test_an_endpoint_that_never_answers_is_unavailable(server, time):
    server.steps = [30.0, 30.0]
    with pytest.raises(EngineUnavailable, match=r"cannot be reached: .*timed out"):
        connected(server, time, timeout_s=0.2).encode(["a"])


def test_an_answer_that_trickles_past_the_timeout_is_given_up(server, time):
    server.steps = [(200, {}, embedded(["a"], 4))] * 2
    late = connected(server, time)
    ticks = iter(range(0, 10_000, 6))
    late._clock = lambda: float(next(ticks))
    with pytest.raises(EngineUnavailable, match="took too long"):
        late.encode(["a"])


def test_a_port_nobody_listens_on_is_unavailable(time):
    with running(Script()) as gone:
        pass
    with pytest.raises(EngineUnavailable, match=r"cannot be reached.*muniment embedder test"):
        connected(gone, time).encode(["a"])


def test_three_failures_open_the_breaker_and_a_success_after_thirty_seconds_closes_it(server, time):
    embedder = connected(server, time)
    server.steps = [(500, {}, {})] * 6
    for _ in range(3):
        with pytest.raises(EngineUnavailable, match="answered 500"):
            embedder.encode(["a"])
    asked = len(server.bodies)
    time.now += 29
    with pytest.raises(EngineUnavailable, match="tried again in 1 s"):
        embedder.encode(["a"])
    assert len(server.bodies) == asked
    time.now += 1.1
    assert embedder.encode(["a"]).shape == (1, 4)
    assert embedder.encode(["a"]).shape == (1, 4)


def test_two_failures_and_a_success_start_the_count_anew(server, time):
    embedder = connected(server, time)
    for _ in range(2):
        server.steps = [(500, {}, {})] * 4
        for _ in range(2):
            with pytest.raises(EngineUnavailable, match="answered 500"):
                embedder.encode(["a"])
        embedder.encode(["a"])


def test_requests_the_endpoint_refuses_do_not_open_the_breaker(server, time):
    embedder = connected(server, time)
    server.steps = [(413, {}, {})] * 4
    for _ in range(4):
        with pytest.raises(EngineUnavailable, match="answered 413"):
            embedder.encode(["a"])
    assert embedder.encode(["a"]).shape == (1, 4)


def test_the_key_is_in_no_message_no_traceback_and_no_repr(server, time, caplog):
    embedder = connected(server, time)
    server.steps = [(401, {}, {"error": f"bad key {KEY} given"})]
    with caplog.at_level(logging.DEBUG), pytest.raises(EngineUnavailable) as caught:
        embedder.encode(["a"])
    shown = "".join(traceback.format_exception(caught.value)) + repr(embedder) + str(caught.value) + caplog.text
    assert "bad key [key] given" in shown
    assert KEY not in shown
    with pytest.raises(InvalidInput) as caught_key:
        endpoint.Endpoint(embedder.spec, KEY + "\n")
    assert KEY not in "".join(traceback.format_exception(caught_key.value))


def test_a_redirect_is_not_followed(server, time):
    with running(Script()) as other:
        server.steps = [(307, {"Location": f"{other.url}/embeddings"}, {})]
        with pytest.raises(EngineUnavailable, match="Redirects are not followed"):
            connected(server, time).encode(["a"])
        assert other.bodies == []


def test_a_query_string_is_sent_but_not_shown(server, time):
    embedder = connected(server, time, url=server.url + "?tenant=hidden")
    server.steps = [(404, {}, {})]
    with pytest.raises(EngineUnavailable) as caught:
        embedder.encode(["a"])
    assert server.paths == ["/v1/embeddings?tenant=hidden"]
    assert "hidden" not in str(caught.value) + repr(embedder)


def test_a_probe_learns_the_dimension_and_building_needs_it(server):
    spec = choose.spec_named(f"openai:tiny@{server.url}/embeddings", query_prefix="q: ", chars_max="100")
    assert (spec.dimension, spec.url, spec.query_prefix, spec.chars_max) == (0, server.url, "q: ", 100)
    with pytest.raises(InvalidInput, match="dimension"):
        choose.build(spec)
    learnt = endpoint.probe(spec, KEY)
    assert learnt == dataclasses.replace(spec, dimension=4)
    tested = choose.verify(spec, api_key=KEY)
    assert (tested.spec, tested.norm_ok) == (learnt, True)


def test_a_probe_refuses_what_is_no_vector(server):
    server.steps = [(200, {}, b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}')]
    with pytest.raises(EngineUnavailable, match="finite"):
        endpoint.probe(endpoint.spec_for(f"tiny@{server.url}"))


def test_building_calls_nobody(server):
    choose.build(dataclasses.replace(choose.spec_named(f"openai:tiny@{server.url}"), dimension=4), api_key=KEY)
    assert server.bodies == []


@pytest.mark.parametrize(
    "rest",
    ["", "model", "model@", "@http://h/v1", "m@ftp://h/v1", "m@http://", "m@http://h:99999/", "m@http://h/a b", "m@file:///x"],
)
def test_an_address_that_cannot_be_called_is_refused(rest):
    with pytest.raises(InvalidInput):
        endpoint.spec_for(rest)


def test_a_password_in_the_address_is_refused_and_not_shown():
    spec = dataclasses.replace(endpoint.spec_for("m@http://h/v1"), url="http://me:hunter2@h/v1", dimension=4)
    with pytest.raises(InvalidInput) as caught:
        endpoint.build(spec)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("options", [{"chars_max": 0}, {"chars_max": "many"}, {"temperature": 1}])
def test_an_option_that_cannot_be_used_is_refused(options):
    with pytest.raises(InvalidInput):
        endpoint.spec_for("m@http://h/v1", **options)


def test_threads_at_once_get_their_own_rows(server, time):
    embedder = connected(server, time)
    seen: dict[int, list[int]] = {}

    def ask(size: int) -> None:
        seen[size] = lengths(embedder.encode(["x" * size] * 3))

    threads = [threading.Thread(target=ask, args=(size,)) for size in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {size: [size] * 3 for size in range(1, 7)}
