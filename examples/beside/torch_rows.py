#!/usr/bin/env python3
"""PyTorch beside kerlab's kernels. Needs PyTorch with CUDA, and a GPU.

  kerlab bench gemm --M 4096 --dtype bf16 --beside "python3 examples/beside/torch_rows.py"
  kerlab bench softmax --M 4096 --N 4096 --variant all --beside "python3 examples/beside/torch_rows.py --compile"

Reads a request a line (docs/libraries.md), makes the inputs that it names, and times torch's own function between CUDA
events: with a cold cache the L2 is flushed before each call. --compile adds a row of torch.compile. It knows gemm,
softmax, layernorm, rmsnorm, reduce and scan without extras; of others it says so.
"""

import argparse
import json
import sys

try:
    import torch
except ImportError:
    sys.exit("torch_rows.py: PyTorch is not installed for this Python; name another one in --beside")
if not torch.cuda.is_available():
    sys.exit("torch_rows.py: this PyTorch sees no GPU")

DTYPES = {"fp64": torch.float64, "fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16,
          "int32": torch.int32, "int64": torch.int64}


class Refused(Exception):
    """The problem is not one that torch is asked for here."""


def inputs(request):
    """Tensors by name, with numbers of a normal distribution, or whole ones."""
    made = {}
    for tensor in request["tensors"]:
        dtype = DTYPES.get(tensor["dtype"])
        if dtype is None:
            raise Refused(f"a tensor of {tensor['dtype']}")
        if tensor["role"] == "output":
            continue
        if dtype.is_floating_point:
            made[tensor["name"]] = torch.randn(tensor["shape"], device="cuda").to(dtype)
        else:
            made[tensor["name"]] = torch.randint(-1000, 1000, tensor["shape"], device="cuda", dtype=dtype)
    return made


# What flags must say for torch to do the same work.
PLAIN = {"bias": "no", "activation": "none", "out": "same", "scales": "none", "mode": "inclusive", "op": "sum"}


def require_plain(request):
    for flag, value in request["flags"].items():
        if flag in PLAIN and value != PLAIN[flag]:
            raise Refused(f"{flag} {value}")
    scalars = request["scalars"]
    if scalars.get("alpha", 1) != 1 or scalars.get("beta", 0) != 0 or scalars.get("scale_d", 1) != 1:
        raise Refused("alpha, beta or scale_d")


def call_of(request, tensors):
    """The name of the row, the function, and what it is called with."""
    family, x = request["family"], next(iter(tensors.values()))
    epsilon = request["scalars"].get("epsilon", 1e-5)
    if family == "gemm":
        layout = request["flags"].get("layout", "nn")
        a, b = (tensors[name].mT if way == "t" else tensors[name] for name, way in zip("AB", layout))
        return "torch.matmul", torch.matmul, (a, b)
    if family == "softmax":
        return "torch.softmax", lambda x: torch.softmax(x, -1), (x,)
    if family == "layernorm":
        norm = torch.nn.functional.layer_norm
        return "torch layer_norm", lambda x, g, b: norm(x, x.shape[-1:], g, b, epsilon), (x, tensors["G"], tensors["B"])
    if family == "rmsnorm":
        norm = torch.nn.functional.rms_norm
        return "torch rms_norm", lambda x, g: norm(x, x.shape[-1:], g, epsilon), (x, tensors["G"])
    if family == "reduce":
        return "torch.sum", torch.sum, (x,)
    if family == "scan":
        return "torch.cumsum", lambda x: torch.cumsum(x, 0), (x,)
    raise Refused(f"the family {family}")


def timed(function, arguments, rounds, flush, hot):
    """Microseconds of each round. The flush takes longer than the host needs to queue what follows it; inputs that are
    to be hot are read once more behind it."""
    for _ in range(3):
        function(*arguments)
    samples = []
    for _ in range(rounds):
        if flush is not None:
            flush.zero_()
        for tensor in hot:
            tensor.sum()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        function(*arguments)
        end.record()
        torch.cuda.synchronize()
        samples.append(1e3 * begin.elapsed_time(end))
    return samples


def answer(request, compiled):
    if request["protocol"] != "kerlab-beside-1":
        raise Refused(f"the protocol {request['protocol']}")
    require_plain(request)
    tensors = inputs(request)
    name, function, arguments = call_of(request, tensors)
    hot = [tensors[tensor["name"]] for tensor in request["tensors"] if tensor["hot"]]
    flush = None
    if request["cache"] == "cold":
        flush = torch.empty(max(2 * request["device"]["l2_bytes"], 1 << 26), dtype=torch.int8, device="cuda")
    note = f"torch {torch.__version__}; allocates its result"
    rows = [{"name": name, "microseconds": timed(function, arguments, request["rounds"], flush, hot), "note": note}]
    if compiled:
        quick = torch.compile(function)
        rows.append({"name": name + ", compiled", "note": note,
                     "microseconds": timed(quick, arguments, request["rounds"], flush, hot)})
    return {"rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compile", action="store_true", help="also a row of torch.compile")
    options = parser.parse_args()
    for line in sys.stdin:
        try:
            said = answer(json.loads(line), options.compile)
        except Refused as why:
            said = {"error": f"torch_rows.py does not do {why}"}
        except torch.cuda.OutOfMemoryError:
            said = {"error": "out of device memory; kerlab's tensors are there as well"}
        print(json.dumps(said), flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
