"""A fuse for something that may be down: after some failures in a row, calls fail at once instead of waiting.

While it is open one caller a period is let through to try; its success closes the fuse for all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

FAILURES_MAX = 3
OPEN_S = 30.0


class Breaker:
    def __init__(self, clock: Callable[[], float], failures_max: int = FAILURES_MAX, open_s: float = OPEN_S) -> None:
        self._clock = clock
        self._failures_max = failures_max
        self._open_s = open_s
        self._failures = 0
        self._closed_at = 0.0
        self._lock = threading.Lock()

    def wait_s(self) -> float:
        """0 when the caller may go on (and must report how it went), else the seconds until somebody may."""
        with self._lock:
            if self._failures < self._failures_max:
                return 0.0
            left = self._closed_at - self._clock()
            if left > 0:
                return left
            self._closed_at = self._clock() + self._open_s
            return 0.0

    def succeeded(self) -> None:
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= self._failures_max:
                self._closed_at = self._clock() + self._open_s
