#!/usr/bin/env python3
"""PyTorch beside kerlab on the problems of configs/rowwise-h200.toml. Needs PyTorch and a GPU.

  examples/compare/rowwise.py [path/to/kerlab]

Times torch and torch.compile on each problem: median of CUDA events, the L2 cache flushed between calls, N(0,1) data,
one read and one write counted. With a kerlab it asks `kerlab bench --suite rowwise-h200 --json` in the same run and
prints the ratio of torch's time to kerlab's (above 1: kerlab is faster).
"""

import json
import statistics
import subprocess
import sys

try:
    import torch
except ImportError:
    sys.exit("rowwise.py: PyTorch is not installed")

SHAPES = [(16384, 16384), (4096, 4096), (8192, 32768), (65536, 1024), (32768, 4096)]
ROUNDS = 30


def operations(columns):
    weight = torch.randn(columns, device="cuda", dtype=torch.bfloat16)
    bias = torch.randn(columns, device="cuda", dtype=torch.bfloat16)
    functional = torch.nn.functional
    return {
        "softmax": lambda x: torch.softmax(x, -1),
        "layernorm": lambda x: functional.layer_norm(x, (columns,), weight, bias),
        "rmsnorm": lambda x: functional.rms_norm(x, (columns,), weight, 1e-5),
    }


def microseconds(function, x, flush):
    for _ in range(3):
        function(x)
    times = []
    for _ in range(ROUNDS):
        flush.zero_()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        function(x)
        end.record()
        torch.cuda.synchronize()
        times.append(1000 * begin.elapsed_time(end))
    return statistics.median(times)


def kerlab_times(program):
    """By (family, rows, columns)."""
    done = subprocess.run([program, "bench", "--suite", "rowwise-h200", "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    times = {}
    for row in json.loads(done.stdout)["rows"]:
        family, *words = row["problem"].split()
        extents = dict(word.split("=") for word in words if "=" in word)
        if row["measurement"]:
            times[family, int(extents["M"]), int(extents["N"])] = row["measurement"]["median_us"]
    return times


def main():
    times = kerlab_times(sys.argv[1]) if len(sys.argv) > 1 else {}
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    print(f"{'problem':30}  {'torch':>9}  {'compiled':>9}  {'kerlab':>9}  torch/k  comp/k  kerlab TB/s")
    for rows, columns in SHAPES:
        x = torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16)
        for name, function in operations(columns).items():
            torch._dynamo.reset()
            eager = microseconds(function, x, flush)
            compiled = microseconds(torch.compile(function), x, flush)
            ours = times.get((name, rows, columns))
            line = f"{name + f' {rows}x{columns} bf16':30}  {eager:7.1f}us  {compiled:7.1f}us"
            if ours:
                rate = 4 * rows * columns / ours / 1e6
                line += f"  {ours:7.1f}us  {eager / ours:7.2f}  {compiled / ours:6.2f}  {rate:.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
