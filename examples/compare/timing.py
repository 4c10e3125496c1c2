"""What the scripts beside this one time with: torch by CUDA events, kerlab by `kerlab bench --suite NAME --json`."""

import json
import statistics
import subprocess
import sys

import torch

ROUNDS = 20


def microseconds(function, arguments, flush):
    """Median of ROUNDS calls, the L2 cache flushed between them."""
    for _ in range(3):
        function(*arguments)
    times = []
    for _ in range(ROUNDS):
        flush.zero_()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        function(*arguments)
        end.record()
        torch.cuda.synchronize()
        times.append(1000 * begin.elapsed_time(end))
    return statistics.median(times)


def cache_flusher():
    """A tensor that is larger than L2."""
    return torch.empty(256 << 20, dtype=torch.int8, device="cuda")


def bench_rows(program, suite):
    """Problem and microseconds of each row that kerlab measured."""
    done = subprocess.run([program, "bench", "--suite", suite, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    rows = json.loads(done.stdout)["rows"]
    return [(row["problem"], row["measurement"]["median_us"]) for row in rows if row["measurement"]]
