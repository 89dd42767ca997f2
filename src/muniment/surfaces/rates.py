"""How often somebody may ask: a bucket of calls for each key, which fills again steadily.

A key that is not held has a full bucket, so that forgetting the one not seen for longest never locks anybody out.
What turns out to come from somebody known is given back, so that only strangers use up what strangers share.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

KEYS_MAX = 10_000
# The share of a minute's calls that may come at once.
BURST = 0.25


class Rates:
    """`per_minute` calls of each key, a quarter of them at once; 0 limits nothing. `clock` answers seconds."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60
        self._most = max(1.0, per_minute * BURST)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._guard = threading.Lock()

    def wait(self, key: str) -> int:
        """Take one call of a key: 0 when it may go on, else the whole seconds until there is one again."""
        if not self._per_second:
            return 0
        with self._guard:
            now = self._clock()
            left, since = self._left.pop(key, (self._most, now))
            left = min(self._most, left + (now - since) * self._per_second)
            allowed = left >= 1
            self._left[key] = (left - 1 if allowed else left, now)
            while len(self._left) > KEYS_MAX:
                self._left.popitem(last=False)
        return 0 if allowed else math.ceil((1 - left) / self._per_second)

    def give_back(self, key: str) -> None:
        """Put one call of a key back that was taken."""
        with self._guard:
            if key in self._left:
                left, since = self._left[key]
                self._left[key] = (min(self._most, left + 1), since)


@dataclass(frozen=True, slots=True)
class Try:
    """One call that was taken from what the strangers of an address share, before anybody knew who it is.

    `wait`: nothing was left; it may only be worked on when it shows something that was issued here, and else has to come again
    after so many seconds.
    """

    rates: Rates
    key: str
    wait: int

    @classmethod
    def of(cls, rates: Rates, key: str) -> Try:
        return cls(rates, key, rates.wait(key))

    def shown(self, what: str) -> int:
        """Where strangers have nothing left, take one of what each thing issued here has: 0, or the seconds to wait."""
        return self.rates.wait(f"{self.key} {what}") if self.wait else 0

    def known(self) -> None:
        """It came from somebody known, and costs strangers nothing."""
        if not self.wait:
            self.rates.give_back(self.key)
