#!/usr/bin/env python3
"""PyTorch beside kerlab on the problems of configs/attention-h200.toml. Needs PyTorch and a GPU.

  examples/compare/attention.py [path/to/kerlab] [--variant NAME]

Times scaled_dot_product_attention, forward, bf16, with its cuDNN and its FlashAttention backend: median of CUDA events,
the L2 cache flushed between calls, N(0,1) data. With a kerlab it asks `kerlab bench --suite attention-h200 --json` in the
same run (the stored winners, or the variant that is named) and prints TFLOP/s of all three (of one query, decoding: TB/s
of keys and values), cuDNN's time over kerlab's (above 1: kerlab is faster), the geometric mean and the worst. Work under
the causal mask is counted at what a query sees, by the same formula for all; a backend that refuses a problem has a dash.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys

try:
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError:
    sys.exit("attention.py: PyTorch (2.5 or later) is not installed")

# batch, heads, kv_heads, queries, keys, depth, causal: as in configs/attention-h200.toml
PREFILL = [
    (batch, heads, kv_heads, places, places, depth, causal)
    for batch, heads, kv_heads, places, depth, masks in (
        (4, 16, 16, 4096, 64, (False, True)),
        (4, 16, 16, 4096, 128, (False, True)),
        (1, 16, 16, 16384, 128, (False, True)),
        (16, 16, 16, 1024, 128, (False, True)),
        (2, 8, 8, 8192, 256, (False, True)),
        (4, 32, 8, 4096, 128, (True,)),
    )
    for causal in masks
]
DECODE = [(batch, 32, 8, 1, keys, 128, False) for batch, keys in ((1, 8192), (16, 8192), (64, 4096))]
BACKENDS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
ROUNDS = 20


def work(problem):
    """FLOPs of Q K^T and P V, as [cost] of kernels/attention/family.toml counts; of one query the bytes of K and V."""
    batch, heads, kv_heads, queries, keys, depth, causal = problem
    if queries == 1: return 4 * batch * kv_heads * keys * depth
    pairs = queries * (queries + 1) // 2 if causal else queries * keys
    return 4 * batch * heads * pairs * depth


def microseconds(backend, problem, flush):
    batch, heads, kv_heads, queries, keys, depth, causal = problem

    def tensor(count, places):
        return torch.randn(batch, count, places, depth, device="cuda", dtype=torch.bfloat16)

    q, k, v = tensor(heads, queries), tensor(kv_heads, keys), tensor(kv_heads, keys)
    grouped = {"enable_gqa": True} if heads != kv_heads else {}
    times = []
    try:
        with torch.no_grad(), sdpa_kernel([backend]):
            for i in range(3 + ROUNDS):
                flush.zero_()
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, **grouped)
                end.record()
                torch.cuda.synchronize()
                if i >= 3: times.append(1000 * begin.elapsed_time(end))
    except RuntimeError as error:
        print(f"  refused: {str(error).splitlines()[0]}", file=sys.stderr)
        return None
    return statistics.median(times)


def problem_of(text):
    """Of kerlab's key, as in `attention queries=4096 keys=4096 depth=128 batch=4 bf16 mask=causal`. What is at its default
    (batch 1, 16 heads, as many of keys) is left out."""
    words = dict(word.split("=", 1) for word in text.split() if "=" in word)
    heads = int(words.get("heads", 16))
    return (int(words.get("batch", 1)), heads, int(words.get("kv_heads", heads)), int(words["queries"]),
            int(words["keys"]), int(words["depth"]), words["mask"] == "causal")


def kerlab_times(program, variant):
    command = [program, "bench", "--suite", "attention-h200", "--json"]
    if variant: command += ["--variant", variant]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    times = {}
    for row in json.loads(done.stdout)["rows"]:
        if row["measurement"]:
            key, us = problem_of(row["problem"]), row["measurement"]["median_us"]
            times[key] = min(us, times.get(key, math.inf))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kerlab", nargs="?")
    parser.add_argument("--variant")
    options = parser.parse_args()
    times = kerlab_times(options.kerlab, options.variant) if options.kerlab else {}
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}")
    for problems, unit in ((PREFILL, "TFLOP/s"), (DECODE, "TB/s")):
        print(f"{'batch heads kv queries keys depth':40}  {'cuDNN':>7}  {'flash':>7}  {'kerlab':>7}  cuDNN/k  ({unit})")
        ratios = []
        for problem in problems:
            measured = {name: microseconds(backend, problem, flush) for name, backend in BACKENDS.items()}
            measured["kerlab"] = times.get(problem)
            line = f"{' '.join(map(str, problem[:6])) + (' causal' if problem[6] else ''):40}"
            for us in measured.values():
                line += f"  {work(problem) / us / 1e6:7.{2 if unit == 'TB/s' else 0}f}" if us else f"  {'-':>7}"
            if measured["cuDNN"] and measured["kerlab"]:
                ratios.append(measured["cuDNN"] / measured["kerlab"])
                line += f"  {ratios[-1]:7.3f}"
            print(line, flush=True)
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"geometric mean over cuDNN: {mean:.3f}, worst {min(ratios):.3f}, of {len(ratios)} problems\n")


if __name__ == "__main__":
    main()
