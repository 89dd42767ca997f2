"""How dear is starting: CPU time from spawn to the answered `initialize` and `tools/list` of `muniment stdio`.

    python bench/start.py [RUNS]

The child's user and system time are read after it has ended; it ends with the answer, since its input ends there.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 15
BUDGET_S, GATE_S = 0.15, 0.2
SOURCE = Path(__file__).resolve().parents[1] / "src"
START = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
FRAMES = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": START},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


def run(command: list[str], folder: str, sent: str) -> tuple[float, float, bytes]:
    """CPU and wall seconds of one child, and what it answered."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    environment |= {"PYTHONPATH": str(SOURCE), "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    ended = subprocess.run(command, input=sent.encode(), capture_output=True, cwd=folder, env=environment, check=True)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, ended.stdout


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    sent = "".join(json.dumps(frame) + "\n" for frame in FRAMES)
    with tempfile.TemporaryDirectory() as folder:
        bare = [run([sys.executable, "-c", "pass"], folder, "")[0] for _ in range(runs)]
        found = [run([sys.executable, "-m", "muniment", "stdio"], folder, sent) for _ in range(runs)]
    answers = [json.loads(line) for line in found[0][2].splitlines()]
    cpu = sorted(one[0] for one in found)
    report = {
        "python_alone_cpu_s": round(statistics.median(bare), 3),
        "cpu_s_median": round(statistics.median(cpu), 3),
        "cpu_s_most": round(cpu[-1], 3),
        "wall_s_median": round(statistics.median(one[1] for one in found), 3),
        "tools": len(answers[1]["result"]["tools"]),
        "budget_s": BUDGET_S,
    }
    sys.stdout.write(json.dumps(report) + "\n")
    sys.exit(0 if report["cpu_s_median"] <= GATE_S else 1)


if __name__ == "__main__":
    main()
