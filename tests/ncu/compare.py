#!/usr/bin/env python3
"""Counts of `kerlab inspect --json` beside those of ncu: FOLDER/NAME.json, FOLDER/NAME.csv (see tests/ncu/run).

One line for each kernel and metric: ours, ncu's, ratio. PTX and SASS correspond where neither ptxas nor the hardware
adds or drops anything: accesses to memory, their sectors and wavefronts, floating-point operations, mma. They do not for
integers, moves, conversions and control, which are shown for what they are.
"""
import csv
import glob
import json
import os
import sys


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def ncu_sums(path):
    """Sums over the launches of our kernels; kerlab's own (lab_*) are left out."""
    with open(path, newline="", errors="replace") as file:
        rows = [row for row in csv.reader(file) if len(row) > 5 and not row[0].startswith("==")]
    if not rows:
        return {}, 0
    titles = rows[0]
    kernel = titles.index("Kernel Name")
    sums, launches = {}, 0
    for row in rows[1:]:
        if len(row) != len(titles) or not row[0].strip() or row[kernel].startswith("lab_"):
            continue  # the second line holds units
        launches += 1
        for title, cell in zip(titles, row):
            value = number(cell) if "__" in title else None
            if value is not None:
                sums[title] = sums.get(title, 0) + value
    return sums, launches


def kind(opcode):
    """How ncu would class an access."""
    parts = opcode.split(".")
    space = "shared" if any(p.startswith("shared") for p in parts) else "global"
    if parts[0] == "cp" and "async" in parts:
        return "ldgsts"
    if parts[0] in ("ldmatrix", "stmatrix"):
        return parts[0]
    if parts[0] == "wmma":
        return f"{space}_ld" if "load" in parts else f"{space}_st"
    if parts[0] in ("red", "atom"):
        return f"{space}_{parts[0]}"
    return f"{space}_{parts[0]}"


class Ours:
    """Sums over launches, scaled from the blocks counted to all of them."""

    def __init__(self, document):
        self.values = {}
        self.launches = 0
        for launch in document["launches"]:
            times = launch["times"]
            self.launches += times
            scale = times * launch["blocks"] / launch["blocks_counted"]
            counts = launch["counts"]
            for key, value in counts.items():
                if key != "pipes":
                    self.add(key, times * value)
            for pipe, value in counts["pipes"].items():
                self.add(f"{pipe}_warps", times * value["warp_instructions"])
                self.add(f"{pipe}_lanes", times * value["lane_instructions"])
                self.add("warps", times * value["warp_instructions"])
                self.add("lanes", times * value["lane_instructions"])
            for line in launch["instructions"]:
                name = kind(line["opcode"])
                if name == "ldgsts":
                    self.add("ldgsts_global_requests", scale * line["global_requests"])
                if line["global_requests"] or line["shared_requests"]:
                    self.add(f"{name}_requests", scale * (line["global_requests"] or line["shared_requests"]))
                    self.add(f"{name}_sectors", scale * line["sectors"])
                    self.add(f"{name}_wavefronts", scale * line["wavefronts"])
                    self.add(f"{name}_conflicts", scale * (line["wavefronts"] - line["least_wavefronts"]))
                parts = line["opcode"].split(".")
                if parts[0] in ("add", "sub", "mul", "fma") and parts[-1] == "f32":
                    self.add(f"f32_{'add' if parts[0] == 'sub' else parts[0]}", scale * line["lane_instructions"])
                if parts[0] == "mma":
                    self.add("mma", scale * line["warp_instructions"])
                if parts[0] in ("ex2", "rcp", "rsqrt", "sqrt", "lg2", "sin", "cos", "tanh"):
                    self.add("special", scale * line["warp_instructions"])

    def add(self, key, value):
        self.values[key] = self.values.get(key, 0) + value

    def get(self, *keys):
        return sum(self.values.get(key, 0) for key in keys)


# title, ours, ncu's (summed), whether PTX and SASS correspond
SASS = "smsp__sass_thread_inst_executed_op_"
L1 = "l1tex__t_"
DATA = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
METRICS = [
    # ncu counts LDGSTS, which cp.async becomes, among the loads.
    ("global loads, requests", ["global_ld_requests", "ldgsts_global_requests"],
     [f"{L1}requests_pipe_lsu_mem_global_op_ld"], True),
    ("global loads, sectors", ["global_ld_sectors", "ldgsts_sectors"],
     [f"{L1}sectors_pipe_lsu_mem_global_op_ld"], True),
    ("global stores, requests", ["global_st_requests"], [f"{L1}requests_pipe_lsu_mem_global_op_st"], True),
    ("global stores, sectors", ["global_st_sectors"], [f"{L1}sectors_pipe_lsu_mem_global_op_st"], True),
    # An atom whose result nobody reads is a RED in SASS.
    ("global atomics, requests", ["global_red_requests", "global_atom_requests"],
     [f"{L1}requests_pipe_lsu_mem_global_op_red", f"{L1}requests_pipe_lsu_mem_global_op_atom"], True),
    ("global atomics, sectors", ["global_red_sectors", "global_atom_sectors"],
     [f"{L1}sectors_pipe_lsu_mem_global_op_red", f"{L1}sectors_pipe_lsu_mem_global_op_atom"], True),
    ("cp.async, instructions", ["ldgsts_requests"], ["smsp__sass_inst_executed_op_ldgsts"], True),
    ("shared loads, instructions", ["shared_ld_requests"], ["smsp__sass_inst_executed_op_shared_ld"], True),
    ("shared stores, instructions", ["shared_st_requests"], ["smsp__sass_inst_executed_op_shared_st"], True),
    ("ldmatrix, instructions", ["ldmatrix_requests"], ["smsp__sass_inst_executed_op_ldsm"], True),
    ("shared wavefronts, loads", ["shared_ld_wavefronts", "ldmatrix_wavefronts"], [f"{DATA}_op_ld"], True),
    ("shared wavefronts, stores", ["shared_st_wavefronts"], [f"{DATA}_op_st"], True),
    ("bank conflicts, loads", ["shared_ld_conflicts", "ldmatrix_conflicts"],
     ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld"], False),
    ("bank conflicts, stores", ["shared_st_conflicts"],
     ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st"], False),
    ("fp32 fma, lanes", ["f32_fma"], [f"{SASS}ffma_pred_on"], True),
    ("fp32 add, lanes", ["f32_add"], [f"{SASS}fadd_pred_on"], True),
    ("fp32 mul, lanes", ["f32_mul"], [f"{SASS}fmul_pred_on"], True),
    ("mma, warps", ["mma"], ["smsp__inst_executed_pipe_tensor_op_hmma"], True),
    ("special, warps", ["special"], ["smsp__inst_executed_pipe_xu"], False),
    ("integer, lanes", ["integer_lanes", "compare_lanes"], [f"{SASS}integer_pred_on"], False),
    ("conversion, lanes", ["conversion_lanes"], [f"{SASS}conversion_pred_on"], False),
    ("control, lanes", ["control_lanes"], [f"{SASS}control_pred_on"], False),
    ("all, warps", ["warps"], ["smsp__inst_executed"], False),
    ("all, lanes", ["lanes"], ["smsp__thread_inst_executed"], False),
]
# Not compared: l1tex__data_pipe_lsu_wavefronts_mem_shared without an operation. It is above 0 in kernels without shared
# memory (block starts, constants), holds shuffles, and one wavefront for a cp.async of 512 bytes.

MERGED = "ptxas makes one access of 16 bytes of four scalar ones side by side"
# (kernels, start of the metric): why they do not correspond although they might.
REASONS = [
    (("softmax", "reduce", "gemv", "mma_sync", "gemm_sm80"), "shared loads", MERGED),
    (("softmax", "reduce", "gemv", "mma_sync", "gemm_sm80"), "shared stores", MERGED),
    (("softmax", "reduce", "gemv", "mma_sync", "gemm_sm80"), "shared wavefronts", MERGED),
    (("smem_tile",), "shared wavefronts", "loads and stores of several warps meet: not by their addresses"),
    (("reduce",), "global loads", "blocks differ by a round of their loop, and 6 of 528 were counted"),
]


def reason(kernel, title):
    return next((text for kernels, start, text in REASONS if kernel in kernels and title.startswith(start)), "")


def rows_of(name, folder):
    with open(os.path.join(folder, name + ".json")) as file:
        ours = Ours(json.load(file))
    sums, launches = ncu_sums(os.path.join(folder, name + ".csv"))
    if launches != ours.launches:
        yield name, "launches", ours.launches, launches, True
    for title, keys, metrics, corresponds in METRICS:
        found = [sums[m + ".sum"] for m in metrics if m + ".sum" in sums]
        if not found:
            continue
        mine, theirs = ours.get(*keys), sum(found)
        if title == "mma, warps" and mine == 0:
            continue  # the pipe does other things in kernels without mma
        if mine or theirs:
            yield name, title, mine, theirs, corresponds


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    near = off = explained = 0
    print(f"{'kernel':12} {'metric':29} {'ours':>15} {'ncu':>15} {'ratio':>8}")
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        name = os.path.basename(path)[:-5]
        if not os.path.exists(os.path.join(folder, name + ".csv")):
            continue
        for kernel, title, mine, theirs, corresponds in rows_of(name, folder):
            ratio = mine / theirs if theirs else float("inf")
            good = abs(ratio - 1) <= 0.05
            why = reason(kernel, title) if corresponds and not good else ""
            near += corresponds and good
            explained += bool(why)
            off += corresponds and not good and not why
            mark = "" if not corresponds else "ok" if good else why or "OFF"
            print(f"{kernel:12} {title:29} {mine:15.0f} {theirs:15.0f} {ratio:8.3f} {mark}")
    print(f"{near} of {near + off} figures where PTX and SASS correspond agree within 5 %; {explained} do not correspond")


if __name__ == "__main__":
    main()
