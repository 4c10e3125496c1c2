#!/usr/bin/env python3
"""PyTorch beside kerlab on problems of configs/primitives-h200.toml and irregular-h200.toml. Needs PyTorch and a GPU.

  examples/compare/primitives.py [path/to/kerlab]

Times torch (CUB, most of it): median of CUDA events, the L2 cache flushed between calls. With a kerlab it asks
`kerlab bench --suite ... --json` in the same run and prints the ratio of torch's time to kerlab's (above 1:
kerlab is faster), and the geometric mean. torch.sort returns the places of the keys as well, torch.bincount and
torch.cumsum of integers results of 64 bits: torch does more there, and its sparse matrices have even rows:
other work, which the line says, and the mean leaves them out.
"""

import argparse
import math
import sys

try:
    import torch
except ImportError:
    sys.exit("primitives.py: PyTorch is not installed")
from timing import bench_rows, cache_flusher, microseconds

N = 1 << 27


def numbers(count, dtype):
    if dtype == torch.int32:
        return torch.randint(-100, 100, (count,), device="cuda", dtype=dtype)
    return torch.randn(count, device="cuda").to(dtype)


def problems():
    """kerlab's name of each problem, whether torch does the same work, and what torch calls it, as (function, input)."""
    for name, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        yield f"reduce N={N} {name}", True, torch.sum, numbers(N, dtype)
    yield f"reduce N={N} int32 op=max", True, torch.amax, numbers(N, torch.int32)
    for name, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        x = numbers(1 << 26, dtype).view(8192, 8192)
        for axis, of in ((1, "rows"), (0, "columns")):
            yield (f"reduce_axis M=8192 N=8192 {name} of={of}", True,
                   lambda x, a=axis: torch.sum(x, a, dtype=torch.float32), x)
    for count in (N, 1 << 20, 1 << 24):
        yield f"scan N={count} fp32 mode=inclusive", True, lambda x: torch.cumsum(x, 0), numbers(count, torch.float32)
    yield f"scan N={N} int32 mode=inclusive", False, lambda x: torch.cumsum(x, 0), numbers(N, torch.int32)
    for bins in (8, 256, 65536):
        x = torch.randint(bins, (N,), device="cuda", dtype=torch.int32)
        yield f"histogram N={N} BINS={bins} uint32", False, lambda x, b=bins: torch.bincount(x, minlength=b), x
    for count in (1 << 20, N):
        x = torch.randint(-(1 << 31), 1 << 31, (count,), device="cuda").to(torch.int32)
        yield f"sort N={count} uint32", False, torch.sort, x
    yield f"sort N={N} uint32 key=f32 values=yes", False, torch.sort, numbers(N, torch.float32)
    x = numbers(N, torch.float32)
    yield f"select N={N} fp32 what=select", True, lambda x: x[x < 0], x
    yield f"select N={N} int32 what=unique", True, torch.unique_consecutive, numbers(N, torch.int32)
    yield from irregular()


def irregular():
    """torch's convolution is that of cuDNN."""
    for name, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        for radius in (1, 3):
            size = 2 * radius + 1
            image = torch.randn(1, 1, 8192, 8192, device="cuda").to(dtype)
            weights = torch.randn(1, 1, size, size, device="cuda").to(dtype)
            yield (f"convolution M=8192 N=8192 R={radius} {name}", True,
                   lambda x, w=weights, r=radius: torch.nn.functional.conv2d(x, w, padding=r), image)
    yield from neighbours()
    yield from sparse()
    yield from mesh()
    for size in (56, 14):
        image = torch.randn(32, 256, size, size, device="cuda").to(torch.bfloat16).to(memory_format=torch.channels_last)
        filters = torch.randn(256, 256, 3, 3, device="cuda").to(torch.bfloat16).to(memory_format=torch.channels_last)
        yield (f"implicit_gemm batch=32 M={size} N={size} C=256 F=256 bf16", True,
               lambda x, w=filters: torch.nn.functional.conv2d(x, w, padding=1), image)
    for columns in (4096, 32768):
        x = torch.randn(8192, columns, device="cuda").to(torch.bfloat16)
        yield f"argmax M=8192 N={columns} bf16", True, lambda x: torch.argmax(x, 1), x
        for k in (8, 64):
            yield f"top_k M=8192 N={columns} K={k} bf16", True, lambda x, k=k: torch.topk(x, k, 1), x


def neighbours():
    """A convolution of one filter for all rows; the seven points of a stencil as a filter of 27, most of them 0."""
    for name, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        x = numbers(64 << 20, dtype).view(64, 1, 1 << 20)
        for radius in (4, 16):
            weights = torch.randn(1, 1, 2 * radius + 1, device="cuda").to(dtype)
            yield (f"convolution_1d batch=64 N={1 << 20} R={radius} {name}", True,
                   lambda x, w=weights, r=radius: torch.nn.functional.conv1d(x, w, padding=r), x)
    for name, dtype in (("fp32", torch.float32), ("fp64", torch.float64)):
        weights = torch.zeros(1, 1, 3, 3, 3, device="cuda", dtype=dtype)
        weights[0, 0, 1, 1, 1] = 0.25
        for point in ((0, 1, 1), (2, 1, 1), (1, 0, 1), (1, 2, 1), (1, 1, 0), (1, 1, 2)):
            weights[(0, 0, *point)] = 0.125
        yield (f"stencil_3d D=512 M=512 N=512 {name} centre=0.25 side=0.125", False,
               lambda x, w=weights: torch.nn.functional.conv3d(x, w, padding=1),
               torch.randn(1, 1, 512, 512, 512, device="cuda", dtype=dtype))
    for segments in (16384, 131072):
        keys = torch.randint(-(1 << 31), 1 << 31, (segments, (1 << 24) // segments), device="cuda").to(torch.int32)
        yield f"segmented_sort N={1 << 24} G={segments} uint32", False, lambda x: torch.sort(x, 1), keys


def mesh():
    """Differences along the edges of a mesh of triangles (right, down, down and right), and sums of edges at vertices.

    What torch reads as places of the ends kerlab computes, or reads for each vertex (order=permuted).
    """
    width = 4096
    vertices = torch.arange(width * width, device="cuda").view(width, width)
    for order in ("natural", "permuted"):
        if order == "permuted":
            vertices = torch.randperm(width * width, device="cuda").view(width, width)
        begins = vertices.flatten().repeat(3)
        ends = torch.cat([vertices.roll(shift, (0, 1)).flatten() for shift in ((0, -1), (-1, 0), (-1, -1))])
        for numbers_each in (1, 4):
            x = torch.randn(width * width, numbers_each, device="cuda")
            edges = torch.randn(3 * width * width, numbers_each, device="cuda")
            size = f"W={width} H={width}" + ("" if numbers_each == 4 else f" F={numbers_each}")  # 4: the default
            permuted = "" if order == "natural" else " order=permuted"
            yield (f"mesh_edges {size} fp32 what=gather{permuted}", False,
                   lambda x, a=begins, b=ends: x[b] - x[a], x)
            yield (f"mesh_edges {size} fp32 what=scatter{permuted}", False,
                   lambda e, a=begins, b=ends, y=x: torch.zeros_like(y).index_add_(0, b, e).index_add_(
                       0, a, e, alpha=-1),
                   edges)


def sparse():
    """torch's products of CSR matrices are those of cuSPARSE; rows of one length, where kerlab times a power law."""
    rows, each = 262144, 16
    starts = torch.arange(0, rows * each + 1, each, device="cuda", dtype=torch.int32)
    columns = torch.randint(rows, (rows, each), device="cuda", dtype=torch.int32).sort(1).values.flatten()
    for name, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        values = torch.randn(rows * each, device="cuda").to(dtype)
        matrix = torch.sparse_csr_tensor(starts, columns, values, (rows, rows))
        for width in (64, 256):
            yield block_sparse(name, dtype, width)
            dense = torch.randn(rows, width, device="cuda").to(dtype)
            yield (f"spmm M={rows} N={width} K={rows} Z={rows * each} {name}", False,
                   lambda x, m=matrix: torch.sparse.mm(m, x), dense)
            if dtype == torch.float32:
                other = torch.randn(width, rows, device="cuda")
                yield (f"sddmm M={rows} N={rows} K={width} Z={rows * each} fp32", False,
                       lambda x, m=matrix, o=other: torch.sparse.sampled_addmm(m, x, o, beta=0.0), dense)


def block_sparse(name, dtype, width):
    """16 x 16 blocks, 8 a row."""
    rows, each, side = 16384, 8, 16
    starts = torch.arange(0, rows * each + 1, each, device="cuda", dtype=torch.int32)
    columns = torch.randint(rows, (rows, each), device="cuda", dtype=torch.int32).sort(1).values.flatten()
    blocks = torch.randn(rows * each, side, side, device="cuda").to(dtype)
    matrix = torch.sparse_bsr_tensor(starts, columns, blocks, (rows * side, rows * side))
    dense = torch.randn(rows * side, width, device="cuda").to(dtype)
    return (f"bsr_spmm M={rows} N={width} K={rows} Z={rows * each} {name}", False, lambda x, m=matrix: m @ x, dense)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kerlab", nargs="?", help="the program that is timed as well")
    kerlab = parser.parse_args().kerlab
    times = {}
    if kerlab:
        times = dict(bench_rows(kerlab, "primitives-h200") + bench_rows(kerlab, "irregular-h200"))
    flush = cache_flusher()
    print(f"{'problem':42}  {'torch':>10}  {'kerlab':>10}  torch/k")
    logs = []
    for name, same, function, argument in problems():
        torchs = microseconds(function, [argument], flush)
        line = f"{name:42}  {torchs:8.1f}us"
        if ours := times.get(name):
            line += f"  {ours:8.1f}us  {torchs / ours:7.2f}" + ("" if same else "  (other work)")
            if same:
                logs.append(math.log(torchs / ours))
        print(line, flush=True)
    if logs:
        print(f"geometric mean over torch: {math.exp(sum(logs) / len(logs)):.2f}, least {math.exp(min(logs)):.2f}")


if __name__ == "__main__":
    main()
