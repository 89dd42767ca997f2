"""The fuse: opens after failures in a row, lets one caller try after a while."""

from __future__ import annotations

from muniment.engines.breaker import FAILURES_MAX, OPEN_S, Breaker


def test_while_open_one_caller_a_period_may_try():
    now = [0.0]
    breaker = Breaker(lambda: now[0])
    for _ in range(FAILURES_MAX):
        assert breaker.wait_s() == 0
        breaker.failed()
    assert breaker.wait_s() == OPEN_S
    now[0] = OPEN_S
    assert breaker.wait_s() == 0
    assert breaker.wait_s() == OPEN_S
    breaker.failed()
    now[0] += OPEN_S - 1
    assert breaker.wait_s() == 1
    now[0] += 1
    assert breaker.wait_s() == 0
    breaker.succeeded()
    assert [breaker.wait_s(), breaker.wait_s()] == [0, 0]
