"""Leaves nothing lying about that has expired. What ended is kept as long as somebody may ask why it did.

Access tokens stay as rows, since the ledger names the token that something was done with; they open nothing any more.
"""

from __future__ import annotations

from muniment.context import Context
from muniment.model.times import DAY_MS

# A spent code is kept so long, to know it again when it is replayed.
CODES_MS = DAY_MS
ATTEMPTS_MS = DAY_MS
REVOKED_MS = 30 * DAY_MS
# A client in use that nothing is left of.
CLIENTS_MS = 180 * DAY_MS
# In this order: later rows go with what earlier ones referred to.
STATEMENTS = (
    "oauth_asks_sweep",
    "oauth_assertions_sweep",
    "browsers_sweep",
    "attempts_sweep",
    "oauth_codes_sweep",
    "oauth_refresh_sweep",
    "oauth_grants_sweep",
    "oauth_clients_sweep",
)


def sweep(context: Context) -> bool:
    """Delete what is over; whether there was anything. Looks first, and writes only then."""
    now = context.now()
    values = {"now": now, "codes_before": now - CODES_MS, "attempts_before": now - ATTEMPTS_MS}
    with context.store.read() as connection:
        if connection.one("oauth_swept", values) is None:
            return False
    values |= {"revoked_before": now - REVOKED_MS, "used_before": now - CLIENTS_MS}
    with context.store.write() as connection:
        for name in STATEMENTS:
            connection.run(name, values)
    return True
