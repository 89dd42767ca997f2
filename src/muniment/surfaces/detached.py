"""Starting the worker apart from who asks for it: a hook and a command end at once, and the vectors come soon after.

At most one is started at a time, and none while another works. It loads nothing heavy, since hooks use it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from muniment.context import Context

# Hooks come in bursts; of those within this time one starts a worker.
START_MS = 5000
# The worker's own module loads numpy, so its lease is named here again; a test holds the two together.
WORKER_LEASE = "worker"


def start_worker(context: Context) -> bool:
    """Start a worker that ends when nothing is left; whether one was started."""
    if context.engines.off or context.read_only or not _may_start(context):
        return False
    _start(context.store.where if context.store.dialect == "sqlite" else None)
    return True


def _may_start(context: Context) -> bool:
    """Whether no worker is at work and no other hook has just started one."""
    now = context.now()
    with context.store.read() as connection:
        if connection.one("lease_held", {"name": WORKER_LEASE, "now": now}):
            return False
    with context.store.write() as connection:
        start = {"name": "worker-start", "holder": f"hook:{os.getpid()}", "until": now + START_MS, "now": now}
        return connection.one("lease_take", start) is not None


def _start(store: str | None) -> None:
    """Start one worker that ends by itself, apart from the client's process group and with its streams closed."""
    # -P keeps the folder the client stands in out of the module path.
    command = [sys.executable, "-P", "-m", "muniment", "worker", "--drain", "--background"]
    environ = os.environ | ({"MUNIMENT_STORE": store} if store else {})
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.BELOW_NORMAL_PRIORITY_CLASS}
    quiet = subprocess.DEVNULL
    started = subprocess.Popen(
        command, stdin=quiet, stdout=quiet, stderr=quiet, cwd=Path.home(), env=environ, close_fds=True, **apart
    )
    started.returncode = 0  # it outlives us on purpose
