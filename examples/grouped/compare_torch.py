#!/usr/bin/env python3
"""Times torch._grouped_mm and kerlab's gemm_grouped on the same problems, in turns, on one GPU.

  kerlab tune --suite grouped-h200            # once: finds the winners that are timed here
  examples/grouped/compare_torch.py           # --help: rounds, other problems, where kerlab is

Both get bf16, numbers from N(0, 1), and the same uneven groups: `partition` below gives the offsets that kerlab's
recipe "normal" gives (kernels/common/recipe.h). L2 is flushed before every call. A round is one process of kerlab
(`kerlab bench --json`, which verifies what it times) and as many calls of torch; the ratio of their medians in a round
is one sample. Printed: medians over all calls with 95 % intervals, and the median ratio over the rounds with its
interval (by order statistics; with fewer than 6 rounds least and largest, which is less than 95 %). Needs torch 2.8 or
later.
"""
import argparse
import json
import math
import statistics
import subprocess
import sys

CASES = [  # tokens, N, K, groups
    (8192, 14336, 4096, 8),
    (8192, 1408, 2048, 64),
    (4096, 2048, 7168, 128),
]
WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(x):
    x ^= x >> 32
    x = x * 0xE9846AF9B1A615D & WORD
    x ^= x >> 32
    x = x * 0xE9846AF9B1A615D & WORD
    return x ^ (x >> 28)


def partition(parts, total, seed=1, tensor="offsets"):
    """Where each of `parts` groups of `total` rows begins, and the end: kernels/common/recipe.h without gaps."""
    number = GOLDEN
    for byte in tensor.encode():
        number = mix(number ^ (byte + 1))
    key = mix(mix((seed + GOLDEN) & WORD) ^ number)
    words = [mix((key + (2 * index + 1) * GOLDEN) & WORD) for index in range(parts + 1)]
    if parts > total:
        return [(total * p + words[parts] % parts) // parts for p in range(parts)] + [total]
    weights = [(256 + (word & 255)) << (word >> 8 & 3) for word in words[:parts]]
    offsets, before = [], 0
    for p in range(parts):
        offsets.append(p + (total - parts) * before // sum(weights))
        before += weights[p]
    return offsets + [total]


def interval(samples):
    """Median and its 95 % interval by order statistics."""
    ordered, n = sorted(samples), len(samples)
    below = max(0, math.floor((n - 1.96 * math.sqrt(n)) / 2)) if n >= 6 else 0
    return statistics.median(ordered), ordered[below], ordered[n - 1 - below]


class Torch:
    """torch._grouped_mm on one problem."""

    def __init__(self, torch, tokens, n, k, groups, layout):
        self.torch = torch
        self.a = torch.randn(tokens, k, device="cuda", dtype=torch.bfloat16)
        b = torch.empty((groups, k, n) if layout == "nn" else (groups, n, k), device="cuda", dtype=torch.bfloat16)
        for matrix in b:  # one at a time: randn of all of it would need another copy in fp32
            matrix.normal_()
        self.b = b if layout == "nn" else b.transpose(-2, -1)
        self.offsets = partition(groups, tokens)
        self.ends = torch.tensor(self.offsets[1:], device="cuda", dtype=torch.int32)
        self.flush = torch.empty(256 << 20, device="cuda", dtype=torch.uint8)

    def call(self):
        return self.torch._grouped_mm(self.a, self.b, offs=self.ends)

    def check(self):
        """The call does what is compared: every row with the matrix of its group."""
        d = self.call().float()
        for g, (begin, end) in enumerate(zip(self.offsets, self.offsets[1:])):
            if begin == end:
                continue
            expected = self.a[begin:end].float() @ self.b[g].float()
            error = (d[begin:end] - expected).abs().max().item() / expected.abs().max().item()
            if not error < 2e-2:
                sys.exit(f"torch._grouped_mm: group {g} is off by {error:.3g} of its largest element")

    def samples(self, calls):
        """Microseconds of each call. All are queued behind a pause, so that no gap of the host is measured."""
        torch = self.torch
        begins = [torch.cuda.Event(enable_timing=True) for _ in range(calls)]
        ends = [torch.cuda.Event(enable_timing=True) for _ in range(calls)]
        for _ in range(3):
            self.call()
        torch.cuda.synchronize()
        torch.cuda._sleep(20_000_000)  # cycles, about 10 ms
        for begin, end in zip(begins, ends):
            self.flush.zero_()
            begin.record()
            self.call()
            end.record()
        torch.cuda.synchronize()
        return [1000 * begin.elapsed_time(end) for begin, end in zip(begins, ends)]


def kerlab_samples(kerlab, problem, rounds, device):
    """Microseconds, and the configuration: the stored winner of this problem, verified and timed."""
    tokens, n, k, groups, layout = problem
    command = [kerlab, "--json", "--device", device, "bench", "gemm_grouped", "--tokens", tokens, "--N", n, "--K", k,
               "--groups", groups, "--layout", layout, "--dtype", "bf16", "--rounds", rounds]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}: {done.stderr.strip()}")
    row = json.loads(done.stdout)["rows"][0]
    if row["trial"]["status"] != "passed":
        sys.exit(f"kerlab: {row['trial']['status']}: {row['trial']['message']}")
    trial = row["trial"]
    return row["measurement"]["samples_us"], f"{trial['variant']} {trial['configuration']} ({row['chosen']})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kerlab", default="kerlab", help="the program (default: kerlab)")
    parser.add_argument("--device", default="cuda:0", help="kerlab's name of the GPU (default: cuda:0)")
    parser.add_argument("--rounds", type=int, default=8, help="turns of both (default: 8)")
    parser.add_argument("--calls", type=int, default=20, help="calls of each in a round (default: 20)")
    parser.add_argument("--layout", default="nn,nt", help="of B: nn (K x N), nt (N x K) (default: both)")
    parser.add_argument("--case", action="append", metavar="TOKENS,N,K,GROUPS", help="instead of the three; repeatable")
    parser.add_argument("--csv", metavar="FILE", help="the table as CSV")
    options = parser.parse_args()
    cases = [tuple(map(int, text.split(","))) for text in options.case] if options.case else CASES

    import torch

    gpu = torch.cuda.get_device_name()
    print(f"torch {torch.__version__}, {gpu}, {options.rounds} rounds of {options.calls} calls")
    lines = ["tokens,N,K,groups,layout,torch_us,kerlab_us,torch_tflops,kerlab_tflops,ratio,low,high,configuration"]
    for case in cases:
        for layout in options.layout.split(","):
            theirs_of = Torch(torch, *case, layout)
            theirs_of.check()
            theirs, ours, ratios = [], [], []
            for _ in range(options.rounds):
                samples, configuration = kerlab_samples(options.kerlab, (*case, layout), options.calls, options.device)
                ours += samples
                theirs.append(theirs_of.samples(options.calls))
                ratios.append(statistics.median(theirs[-1]) / statistics.median(samples))
            flops = 2 * case[0] * case[1] * case[2]
            medians = []
            for name, samples in (("torch._grouped_mm", sum(theirs, [])), ("kerlab", ours)):
                middle, low, high = interval(samples)
                medians.append(middle)
                speed = f"{flops / middle / 1e6:7.1f} TFLOP/s"
                print(f"{case} {layout} {name:18} {middle:9.1f} us [{low:.1f}, {high:.1f}] {speed}")
            ratio, low, high = interval(ratios)
            print(f"{case} {layout} kerlab is {ratio:.3f} [{low:.3f}, {high:.3f}] times as fast: {configuration}")
            lines.append(",".join(map(str, [*case, layout, *(f"{m:.2f}" for m in medians),
                                            *(f"{flops / m / 1e6:.1f}" for m in medians),
                                            f"{ratio:.4f}", f"{low:.4f}", f"{high:.4f}", configuration])))
            del theirs_of
            torch.cuda.empty_cache()
    if options.csv:
        with open(options.csv, "w") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
