#!/usr/bin/env python3
"""PyTorch beside kerlab on the problems of configs/rowwise-h200.toml that PyTorch has. Needs PyTorch and a GPU.

  examples/compare/rowwise.py [path/to/kerlab]

Times torch and torch.compile on each problem: median of CUDA events, the L2 cache flushed between calls, N(0,1) data.
With a kerlab it asks `kerlab bench --suite rowwise-h200 --json` in the same run and prints the ratio of torch's time to
kerlab's (above 1: kerlab is faster), and the geometric mean. Of rmsnorm_backward torch's column is the formula, kernel
by kernel; compiled it is fused.
"""

import argparse
import math
import sys

try:
    import torch
except ImportError:
    sys.exit("rowwise.py: PyTorch is not installed")
from timing import bench_rows, cache_flusher, microseconds

SHAPES = [(16384, 16384), (4096, 4096), (8192, 32768), (65536, 1024), (32768, 4096)]
LOGITS = [(8192, 32768), (16384, 128256), (64, 131072)]
TABLES = [(16384, 32000, 4096), (65536, 128256, 1024)]  # tokens, rows of the table, columns
functional, aten = torch.nn.functional, torch.ops.aten


def normal(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def normalisations(rows, columns):
    """By family: function, arguments."""
    x, weight, bias = normal(rows, columns), normal(columns), normal(columns)
    shape = (columns,)
    return {
        "softmax": (lambda x: torch.softmax(x, -1), x),
        "log_softmax": (lambda x: torch.log_softmax(x, -1), x),
        "layernorm": (lambda x: functional.layer_norm(x, shape, weight, bias), x),
        "rmsnorm": (lambda x: functional.rms_norm(x, shape, weight, 1e-5), x),
        "add_rmsnorm": (lambda x, r: functional.rms_norm(r.add_(x), shape, weight, 1e-5), x, normal(rows, columns)),
    }


def rmsnorm_backward(x, dy, weight, rstd):
    z, a = x.float() * rstd, dy.float() * weight.float()
    dx = rstd * (a - z * (a * z).mean(-1, keepdim=True))
    return dx.to(x.dtype), (dy.float() * z).sum(0)


def gradients(rows, columns):
    x, dy, weight, bias = normal(rows, columns), normal(rows, columns), normal(columns), normal(columns)
    y = torch.softmax(x, -1)
    mean, rstd = x.float().mean(-1, keepdim=True), torch.rsqrt(x.float().var(-1, keepdim=True) + 1e-5)

    def layernorm(x, dy):
        return aten.native_layer_norm_backward(dy, x, [columns], mean, rstd, weight, bias, [True, True, True])

    return {
        "softmax_backward": (lambda y, dy: aten._softmax_backward_data(dy, y, -1, torch.bfloat16), y, dy),
        "layernorm_backward": (layernorm, x, dy),
        "rmsnorm_backward": (lambda x, dy: rmsnorm_backward(x, dy, weight, rstd), x, dy),
    }


def losses(rows, columns):
    x, labels = normal(rows, columns), torch.randint(columns, (rows,), device="cuda")
    return {"cross_entropy": (lambda x, labels: functional.cross_entropy(x, labels, reduction="none"), x, labels)}


def tables(tokens, entries, columns):
    table, ids, dy = normal(entries, columns), torch.randint(entries, (tokens,), device="cuda"), normal(tokens, columns)
    return {
        "embedding": (lambda ids, table: functional.embedding(ids, table), ids, table),
        "embedding_backward": (lambda dy, ids: aten.embedding_dense_backward(dy, ids, entries, -1, False), dy, ids),
    }


def kerlab_times(program):
    """By family and extents; of the first problem of each."""
    times = {}
    for problem, median in bench_rows(program, "rowwise-h200"):
        family, *words = problem.split()
        extents = tuple(int(word.split("=")[1]) for word in words if word.split("=")[-1].isdigit())
        times.setdefault((family, extents), median)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kerlab", nargs="?", help="the program that is timed as well")
    kerlab = parser.parse_args().kerlab
    times = kerlab_times(kerlab) if kerlab else {}
    flush = cache_flusher()
    print(f"{'problem':38}  {'torch':>9}  {'compiled':>9}  {'kerlab':>9}  torch/k  comp/k")
    problems = [(normalisations, s) for s in SHAPES] + [(gradients, s) for s in SHAPES]
    problems += [(losses, s) for s in LOGITS] + [(tables, s) for s in TABLES]
    ratios = []
    for make, extents in problems:
        for name, (function, *arguments) in make(*extents).items():
            torch._dynamo.reset()
            eager = microseconds(function, arguments, flush)
            compiled = microseconds(torch.compile(function), arguments, flush)
            ours = times.get((name, extents))
            line = f"{name + ' ' + 'x'.join(map(str, extents)):38}  {eager:7.1f}us  {compiled:7.1f}us"
            if ours:
                ratios.append((eager / ours, compiled / ours))
                line += f"  {ours:7.1f}us  {eager / ours:7.2f}  {compiled / ours:6.2f}"
            print(line, flush=True)
    for column, who in enumerate(("torch", "torch.compile")):
        if ratios:
            logs = [math.log(ratio[column]) for ratio in ratios]
            print(f"geometric mean over {who}: {math.exp(sum(logs) / len(logs)):.2f}, least {math.exp(min(logs)):.2f}")


if __name__ == "__main__":
    main()
