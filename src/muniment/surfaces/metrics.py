"""Counts of a server's work in the plain text Prometheus reads. Names of operations and codes only, never a workspace."""

from __future__ import annotations

import threading
from collections import Counter

BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
METHODS = frozenset({"GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"})
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Calls per operation and outcome (`ok` or an error's code), with how long they took."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._within: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._answered: Counter[tuple[str, int]] = Counter()
        self._slowed = 0

    def answered(self, method: str, status: int) -> None:
        """A request on any route; a method of nobody's making counts as `other`."""
        with self._guard:
            self._answered[method if method in METHODS else "other", status] += 1

    def slowed(self) -> None:
        """A request that was refused because there were too many."""
        with self._guard:
            self._slowed += 1

    def observe(self, operation: str, code: str, seconds: float) -> None:
        with self._guard:
            self._calls[operation, code] += 1
            self._seconds[operation] += seconds  # type: ignore[assignment]
            for edge in BUCKETS_S:
                if seconds <= edge:
                    self._within[operation, edge] += 1

    def text(self, backlog: int | None) -> str:
        """`backlog`: passages that wait for a vector, None when nobody can tell."""
        with self._guard:
            calls, within, seconds = dict(self._calls), dict(self._within), dict(self._seconds)
            answered, slowed = dict(self._answered), self._slowed
        lines = ["# HELP muniment_requests_total Calls of an operation.", "# TYPE muniment_requests_total counter"]
        totals: Counter[str] = Counter()
        for (operation, code), count in sorted(calls.items()):
            totals[operation] += count
            lines.append(f'muniment_requests_total{{operation="{operation}",code="{code}"}} {count}')
        lines += ["# HELP muniment_errors_total Calls that ended with an error.", "# TYPE muniment_errors_total counter"]
        for operation in sorted(totals):
            count = sum(count for (name, code), count in calls.items() if name == operation and code != "ok")
            lines.append(f'muniment_errors_total{{operation="{operation}"}} {count}')
        lines += ["# HELP muniment_request_seconds How long calls took.", "# TYPE muniment_request_seconds histogram"]
        for operation in sorted(totals):
            name = f'operation="{operation}"'
            lines += [
                f'muniment_request_seconds_bucket{{{name},le="{e:g}"}} {within.get((operation, e), 0)}' for e in BUCKETS_S
            ]
            lines.append(f'muniment_request_seconds_bucket{{{name},le="+Inf"}} {totals[operation]}')
            lines.append(f"muniment_request_seconds_sum{{{name}}} {seconds[operation]:.6f}")
            lines.append(f"muniment_request_seconds_count{{{name}}} {totals[operation]}")
        lines += ["# HELP muniment_http_requests_total Requests on any route.", "# TYPE muniment_http_requests_total counter"]
        for (method, status), count in sorted(answered.items()):
            lines.append(f'muniment_http_requests_total{{method="{method}",status="{status}"}} {count}')
        lines += ["# HELP muniment_slowed_total Requests refused as too many.", "# TYPE muniment_slowed_total counter"]
        lines.append(f"muniment_slowed_total {slowed}")
        if backlog is not None:
            lines += ["# HELP muniment_backlog Passages that wait for a vector.", "# TYPE muniment_backlog gauge"]
            lines.append(f"muniment_backlog {backlog}")
        return "\n".join(lines) + "\n"
