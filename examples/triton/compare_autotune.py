#!/usr/bin/env python3
"""Triton's autotuner and kerlab on the same problem: how long 162 configurations take, and how fast the winner is.

    examples/triton/compare_autotune.py [--kerlab PATH] [--M 4096] [--trials 162]      needs a GPU, PyTorch and Triton

C = A B, bf16, all caches cold. Triton compiles and times its grid one after another and checks nothing; kerlab checks
every configuration of `gemm_sm90` that it times. Both winners are then timed the same way, by kerlab's protocol as far as
PyTorch has it: L2 flushed before each launch, medians of 50.
"""
import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time


def triton_sweep(size):
    """Seconds of the sweep, and a function that runs the winner, with its configuration."""
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    import torch
    import triton
    import triton.language as tl

    grid = [triton.Config({"BM": m, "BN": n, "BK": k, "GROUP": 8}, num_warps=w, num_stages=s)
            for m, n, k, w, s in itertools.product((64, 128, 256), (64, 128, 256), (32, 64, 128), (4, 8), (2, 3, 4))]

    @triton.autotune(configs=grid, key=["M", "N", "K"])
    @triton.jit
    def gemm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
        tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
        tile = tl.program_id(0)
        first = tile // (GROUP * tiles_n) * GROUP
        rows = min(tiles_m - first, GROUP)
        tile_m, tile_n = first + tile % (GROUP * tiles_n) % rows, tile % (GROUP * tiles_n) // rows
        m, n, k = tile_m * BM + tl.arange(0, BM), tile_n * BN + tl.arange(0, BN), tl.arange(0, BK)
        at, bt = a + m[:, None] * K + k[None, :], b + k[:, None] * N + n[None, :]
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for _ in range(0, K, BK):
            total = tl.dot(tl.load(at), tl.load(bt), total)
            at += BK
            bt += BK * N
        tl.store(c + m[:, None] * N + n[None, :], total.to(tl.bfloat16))

    a, b = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    c = torch.empty_like(a)

    def run():
        gemm[lambda p: (triton.cdiv(size, p["BM"]) * triton.cdiv(size, p["BN"]),)](a, b, c, size, size, size)

    begin = time.time()
    run()
    torch.cuda.synchronize()
    seconds = time.time() - begin
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    times = []
    for _ in range(50):
        flush.zero_()
        begin_event, end_event = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin_event.record()
        run()
        end_event.record()
        torch.cuda.synchronize()
        times.append(1e3 * begin_event.elapsed_time(end_event))
    return seconds, len(grid), sorted(times)[len(times) // 2], str(gemm.best_config)


def kerlab_sweep(kerlab, size, trials):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, XDG_CACHE_HOME=folder, XDG_DATA_HOME=folder)
        begin = time.time()
        done = subprocess.run([kerlab, "tune", "gemm", "--M", str(size), "--variant", "gemm_sm90", "--trials", str(trials),
                               "--patience", "0", "--db", f"{folder}/tune.db", "--json"],
                              capture_output=True, text=True, env=environment)
        seconds = time.time() - begin
    if done.returncode != 0:
        sys.exit(done.stderr)
    return seconds, json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kerlab", default="kerlab")
    parser.add_argument("--M", type=int, default=4096)
    parser.add_argument("--trials", type=int, default=162)
    parser.add_argument("--repeat", type=int, default=2, help="sweeps of kerlab")
    options = parser.parse_args()
    tflop = 2 * options.M**3 * 1e-6
    wall, configurations, us, winner = triton_sweep(options.M)
    print(f"triton: {configurations} configurations in {wall:.1f} s; winner {us:.1f} us, {tflop / us:.0f} TFLOP/s, {winner}")
    for _ in range(options.repeat):
        ours, result = kerlab_sweep(options.kerlab, options.M, options.trials)
        best = result["rows"][0]["measurement"]["median_us"]
        print(f"kerlab: {result['tried']} configurations in {ours:.1f} s (a {wall / ours:.1f}th); winner {best:.1f} us, "
              f"{tflop / best:.0f} TFLOP/s, {us / best:.2f} times as fast as Triton's; "
              f"compilers busy {100 * result['compilers_busy']:.0f} %, GPU {100 * result['gpu_busy']:.0f} %")


if __name__ == "__main__":
    main()
