#!/usr/bin/env python3
"""PyTorch beside kerlab on the problems of configs/attention-h200.toml. Needs PyTorch and a GPU.

  examples/compare/attention.py [path/to/kerlab] [--variant NAME] [--problems KIND] [--json FILE] [--seconds N]

Times PyTorch's cuDNN and FlashAttention-2 backends, bf16: median of CUDA events, the L2 cache flushed between calls, N(0,1)
data. With a kerlab it asks `kerlab bench --suite attention-h200 --json` in the same run (the stored winners, or the
variant that is named). A line for each problem, as it is measured: TFLOP/s of all three (of one query, decoding: TB/s of
keys and values), cuDNN's time over kerlab's (above 1: kerlab is faster). Work under a mask is counted at what a query
sees, by the same formula for all; a backend that has no such thing, or refuses it, has a dash. What has no counterpart of
its own stands beside its nearest, which the line says: pages and fp8 beside a contiguous cache and bf16, packed sequences
of one length beside a batch (cuDNN). --json: the times in us as a document, written anew after each problem.
"""

import argparse
import itertools
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = ["forward", "backward", "decode", "other"]
DEFAULTS = {"batch": 1, "heads": 16, "mask": "none", "cache": "contiguous", "window": 0}
OF_FAMILY = {"attention_decode": {"heads": 32, "kv_heads": 8, "queries": 1}, "attention_varlen": {"batch": 8}}
ROUNDS = 20


class Problem:
    """A problem of an attention family: what was said of it (`options`), and all of its values."""

    def __init__(self, family, dtype, options):
        self.family, self.dtype, self.options = family, dtype, options
        v = {"depth": 128, **DEFAULTS, **OF_FAMILY.get(family, {}), **options}
        v.setdefault("keys", v.get("queries"))
        v.setdefault("kv_heads", v["heads"])
        if v["mask"] != "window": v["window"] = 0
        self.batch, self.heads, self.kv_heads, self.queries, self.keys, self.depth = (
            int(v[name]) for name in ("batch", "heads", "kv_heads", "queries", "keys", "depth"))
        self.mask, self.cache, self.window = v["mask"], v["cache"], int(v["window"])
        self.decoding = family == "attention_decode" or self.queries == 1
        self.kind = ("backward" if family == "attention_backward" else "decode" if self.decoding else
                     "forward" if family == "attention" and not self.window and self.heads == self.kv_heads else "other")

    def key(self):
        return (self.family, self.dtype, self.batch, self.heads, self.kv_heads, self.queries, self.keys, self.depth,
                self.mask, self.cache, self.window)

    def title(self):
        words = [self.family.replace("attention_", ""), f"{self.batch}x{self.heads}"]
        if self.kv_heads != self.heads: words.append(f"kv {self.kv_heads}")
        words.append(f"{self.queries}" if self.queries == self.keys else f"{self.queries} of {self.keys}")
        words += [f"d{self.depth}"] + [word for word in (self.mask, self.cache) if word not in ("none", "contiguous")]
        return " ".join(words)

    def words(self):
        return [self.family, "--dtype", self.dtype] + [w for n, x in self.options.items() for w in (f"--{n}", str(x))]

    def unit(self):
        return "TB/s" if self.decoding else "TFLOP/s"

    def work(self):
        """FLOPs, as [cost] of the families counts them; of a decoder the bytes of K and V."""
        if self.decoding: return 4 * self.batch * self.kv_heads * self.keys * self.depth
        sequences = self.batch
        n = self.queries // self.batch if self.family == "attention_varlen" else self.queries
        pairs = {"none": n * n, "causal": n * (n + 1) // 2}.get(self.mask)
        if pairs is None: pairs = self.window * (self.window + 1) // 2 + (n - self.window) * self.window
        return (10 if self.kind == "backward" else 4) * sequences * self.heads * pairs * self.depth

    def rate(self, us):
        """In its unit."""
        return self.work() / us / 1e6


def suite(path=ROOT / "configs/attention-h200.toml"):
    """The problems of a suite: tables of one line and lists are all that it uses of TOML."""
    problems = []
    for block in pathlib.Path(path).read_text().split("[[problem]]")[1:]:
        fields = dict(re.findall(r"^(\w+) = (.*)$", block, re.M))
        settings = {}
        for name in ("dimensions", "flags"):
            settings.update(json.loads(re.sub(r"(\w+) =", r'"\1":', fields.get(name, "{}"))))
        lists = [value if isinstance(value, list) else [value] for value in settings.values()]
        for values in itertools.product(*lists):
            problems.append(Problem(json.loads(fields["family"]), json.loads(fields["dtype"]), dict(zip(settings, values))))
    return problems


def problem_of(text):
    """Of kerlab's key, as in `attention queries=4096 keys=4096 depth=128 batch=4 bf16 mask=causal`. What is at its default
    is left out."""
    family, *words = text.split()
    options = dict(word.split("=", 1) for word in words if "=" in word)
    dtype = next((word for word in words if "=" not in word), "bf16")
    return Problem(family, dtype, options)


class PyTorch:
    """Times by backend; None where it refuses."""

    def __init__(self):
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        self.torch, self.sdpa_kernel = torch, sdpa_kernel
        self.backends = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
        self.flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")

    def name(self):
        torch = self.torch
        return f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}"

    def tensor(self, *shape):
        return self.torch.randn(*shape, device="cuda", dtype=self.torch.bfloat16)

    def median(self, call):
        torch, times = self.torch, []
        for i in range(3 + ROUNDS):
            self.flush.zero_()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            call()
            end.record()
            torch.cuda.synchronize()
            if i >= 3: times.append(1000 * begin.elapsed_time(end))
        return statistics.median(times)

    def dense(self, p, batch, places, keys):
        """Scaled dot products, forward or backward; several queries of a decoder see the keys before their own."""
        q, k, v = self.tensor(batch, p.heads, places, p.depth), *(
            self.tensor(batch, p.kv_heads, keys, p.depth) for _ in range(2))
        grouped = {"enable_gqa": True} if p.heads != p.kv_heads else {}
        if places not in (1, keys):
            from torch.nn.attention.bias import causal_lower_right
            grouped["attn_mask"] = causal_lower_right(places, keys)
        attend = self.torch.nn.functional.scaled_dot_product_attention
        if p.kind != "backward":
            return lambda: attend(q, k, v, is_causal=p.mask == "causal", **grouped)
        inputs = [x.requires_grad_() for x in (q, k, v)]
        output = attend(*inputs, is_causal=p.mask == "causal", **grouped)
        gradient = self.tensor(*output.shape)
        return lambda: self.torch.autograd.grad(output, inputs, gradient, retain_graph=True)

    def flash(self, p):
        """FlashAttention-2 as it is below scaled dot products: packed sequences, and windows."""
        forward = self.torch.ops.aten._flash_attention_forward
        if p.family == "attention_varlen":
            each = p.queries // p.batch
            q, k, v = (self.tensor(p.queries, count, p.depth) for count in (p.heads, p.kv_heads, p.kv_heads))
            offsets = self.torch.arange(p.batch + 1, device="cuda", dtype=self.torch.int32) * each
            return lambda: forward(q, k, v, offsets, offsets, each, each, 0.0, p.mask == "causal", False)
        q = self.tensor(p.batch, p.queries, p.heads, p.depth)
        k, v = (self.tensor(p.batch, p.keys, p.kv_heads, p.depth) for _ in range(2))
        return lambda: forward(q, k, v, None, None, p.queries, p.keys, 0.0, False, False, window_size_left=p.window - 1,
                               window_size_right=0)

    def call(self, p, name):
        if name == "flash" and (p.family == "attention_varlen" or p.window): return self.flash(p)
        if p.window: return None
        if p.family == "attention_varlen": return self.dense(p, p.batch, p.queries // p.batch, p.keys // p.batch)
        return self.dense(p, p.batch, p.queries, p.keys)

    def times(self, p):
        found = {}
        for name, backend in self.backends.items():
            found[name] = None
            try:
                with self.sdpa_kernel([backend]):
                    call = self.call(p, name)
                    if call: found[name] = self.median(call)
            except Exception as error:  # of another version, another GPU, or too large: the row has a dash
                print(f"  {name} refuses {p.title()}: {str(error).splitlines()[0]}", file=sys.stderr)
            call = None
            self.torch.cuda.empty_cache()
        return found


def note(p):
    """What PyTorch does instead."""
    if p.cache == "paged": return "beside a contiguous cache"
    if p.dtype != "bf16": return "beside bf16"
    return "cuDNN: as a batch" if p.family == "attention_varlen" else ""


HEADER = f"{'problem':38}  {'cuDNN':>7}  {'flash':>7}  {'kerlab':>7}  cuDNN/k"


def line(p, times):
    text = f"{p.title():38}"
    for name in ("cuDNN", "flash", "kerlab"):
        text += f"  {p.rate(times[name]):7.{2 if p.decoding else 0}f}" if times.get(name) else f"  {'-':>7}"
    over = times["cuDNN"] / times["kerlab"] if times.get("cuDNN") and times.get("kerlab") else None
    return f"{text}  {f'{over:.3f}' if over else '':>7}  {p.unit()}"


def means(pairs):
    """A line for each kind: the geometric mean over cuDNN and the worst, of problems with times of both."""
    lines = []
    for kind in KINDS:
        ratios = [(t["cuDNN"] / t["kerlab"], p) for p, t in pairs if p.kind == kind and t.get("cuDNN") and t.get("kerlab")]
        if not ratios: continue
        worst, where = min(ratios, key=lambda ratio: ratio[0])
        mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
        lines.append(f"{kind}: geometric mean over cuDNN {mean:.3f}, worst {worst:.3f} ({where.title()}), of {len(ratios)}")
    return lines


def kerlab_times(program, variant):
    command = [program, "bench", "--suite", "attention-h200", "--json"]
    if variant: command += ["--variant", variant]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0: sys.exit(done.stderr)
    times = {}
    for row in json.loads(done.stdout)["rows"]:
        if row["measurement"]:
            key, us = problem_of(row["problem"]).key(), row["measurement"]["median_us"]
            times[key] = min(us, times.get(key, math.inf))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kerlab", nargs="?")
    parser.add_argument("--variant")
    parser.add_argument("--problems", action="append", choices=KINDS)
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=float, default=math.inf)
    options = parser.parse_args()
    try:
        pytorch = PyTorch()
    except ImportError:
        sys.exit("attention.py: PyTorch (2.5 or later) is not installed")
    end = time.monotonic() + options.seconds
    found = kerlab_times(options.kerlab, options.variant) if options.kerlab else {}
    print(f"{pytorch.name()}\n{HEADER}", flush=True)
    document, pairs = {"device": pytorch.name(), "us": {}}, []
    for p in suite():
        if p.kind not in (options.problems or KINDS): continue
        if time.monotonic() > end:
            print(f"not measured, time is up: {p.title()}")
            continue
        times = {**pytorch.times(p), "kerlab": found.get(p.key())}
        pairs.append((p, times))
        print(f"{line(p, times)}  {note(p)}".rstrip(), flush=True)
        document["us"][p.title()] = {name: times[name] for name in ("cuDNN", "flash")}
        if options.json: pathlib.Path(options.json).write_text(json.dumps(document, indent=1))
    print("\n".join(means(pairs)))


if __name__ == "__main__":
    main()
