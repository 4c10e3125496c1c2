#!/usr/bin/env python3
"""A Triton kernel as a variant of ../saxpy: compiles it for each setting and writes the PTX and its triton.toml.

  emit_triton.py FOLDER [--cc 90]     needs Triton, no GPU; then: kerlab tune FOLDER --variant triton
"""
import argparse
import pathlib
import re

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

BLOCKS, WARPS = (512, 1024, 2048), (4, 8)


@triton.jit
def saxpy(x, y, z, N, a, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < N
    tl.store(z + at, a * tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cc", type=int, default=90)
    options = parser.parse_args()
    signature = {"x": "*fp32", "y": "*fp32", "z": "*fp32", "N": "i32", "a": "fp32", "BLOCK": "constexpr"}
    for block in BLOCKS:
        for warps in WARPS:
            source = ASTSource(fn=saxpy, signature=signature, constexprs={"BLOCK": block})
            made = triton.compile(source, target=GPUTarget("cuda", options.cc, 32), options={"num_warps": warps})
            ptx, shared = made.asm["ptx"], made.metadata.shared
            (options.folder / f"triton_{block}_{warps}.ptx").write_text(ptx)
    # Triton adds pointers to scratch memory of its own, which this kernel does not use.
    parameters = len(re.findall(r"\.param", re.search(r"\.entry[^(]*\((.*?)\)", ptx, re.S).group(1)))
    scratch = ['"i64: 0"'] * (parameters - 5)
    (options.folder / "triton.toml").write_text(f"""doc = "PTX of Triton {triton.__version__}"
image = "triton_{{BLOCK}}_{{WARPS}}.ptx"
minimum_cc = {options.cc}

[[parameter]]
name = "BLOCK"
values = {list(BLOCKS)}
doc = "numbers of a block"

[[parameter]]
name = "WARPS"
values = {list(WARPS)}

[[launch]]
kernel = "saxpy"
grid = ["ceil_div(N, BLOCK)"]
block = ["32 * WARPS"]
shared = {shared}
arguments = [{", ".join(['"x"', '"y"', '"z"', '"N"', '"a"'] + scratch)}]
""")


if __name__ == "__main__":
    main()
