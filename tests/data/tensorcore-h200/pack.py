#!/usr/bin/env python3
"""Packs recordings (float32: A, B, C, D per case, back to back) into what tensor_core_test.cpp reads.

pack.py SOURCE_FOLDER DESTINATION_FOLDER: every SOURCE/*.bin becomes DESTINATION/*.tc. No packages needed.
File: "KTC1", then u8 operand format (0 f16, 1 bf16, 2 tf32, 3 e4m3, 4 e5m2), u8 accumulator (0 f16, 1 f32), u8 wgmma,
u8 K, u16 M, u16 cases; then per case u8 "C follows" (else C is all +0), A (M x K row-major) and B (K x 8) in their own
bits (tf32: the upper 19 in 3 bytes), C and D (M x 8) in the accumulator's bits. Little-endian.
"""
import pathlib
import struct
import sys

FORMATS = ["f16", "bf16", "tf32", "e4m3", "e5m2"]
DEPTH = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32}


def fp8_codes(fraction_bits, bias, infinities):
    """float32 bits -> code."""
    codes = {}
    for code in range(256):
        sign, exponent = code >> 7, code >> fraction_bits & (1 << 7 - fraction_bits) - 1
        fraction = code & (1 << fraction_bits) - 1
        top, full = (1 << 7 - fraction_bits) - 1, (1 << fraction_bits) - 1
        if exponent == top and (infinities or fraction == full):
            value = float("inf") if infinities and fraction == 0 else float("nan")
        elif exponent == 0:
            value = fraction * 2.0 ** (1 - bias - fraction_bits)
        else:
            value = (1 + fraction / (1 << fraction_bits)) * 2.0 ** (exponent - bias)
        bits = struct.unpack("<I", struct.pack("<f", value))[0] | sign << 31
        codes.setdefault(bits, code)
    return codes


FP8 = {"e4m3": fp8_codes(3, 7, False), "e5m2": fp8_codes(2, 15, True)}


def is_nan(bits):
    return bits & 0x7FFFFFFF > 0x7F800000


def encode(bits, fmt):
    if fmt in FP8:
        code = 0x7F if is_nan(bits) else FP8[fmt][bits]
        return struct.pack("<B", code)
    if fmt == "bf16":
        assert bits & 0xFFFF == 0 or is_nan(bits)
        return struct.pack("<H", bits >> 16 | (is_nan(bits) and 0x40))
    if fmt == "tf32":
        assert bits & 0x1FFF == 0 or is_nan(bits)
        return struct.pack("<I", bits >> 13)[:3]
    if is_nan(bits):
        return struct.pack("<H", 0x7FFF)
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    packed = struct.pack("<e", value)
    assert struct.pack("<f", struct.unpack("<e", packed)[0]) == struct.pack("<I", bits)
    return packed


def pack(source, destination):
    name = source.stem.removeprefix("x_")
    wgmma, f16_accumulator = name.startswith("wgmma"), name.endswith("f16acc")
    fmt = name.split("_")[1].removesuffix("acc")
    rows, depth = (64 if wgmma else 16), DEPTH[fmt]
    sizes = [rows * depth, depth * 8, rows * 8, rows * 8]
    words = struct.unpack(f"<{source.stat().st_size // 4}I", source.read_bytes())
    cases = len(words) // sum(sizes)
    assert cases * sum(sizes) == len(words)
    out = bytearray(b"KTC1" + struct.pack("<4B2H", FORMATS.index(fmt), not f16_accumulator, wgmma, depth, rows, cases))
    at = 0
    for _ in range(cases):
        parts = []
        for size in sizes:
            parts.append(words[at : at + size])
            at += size
        a, b, c, d = parts
        has_c = any(c)
        accumulator = (lambda x: encode(x, "f16")) if f16_accumulator else (lambda x: struct.pack("<I", x))
        out += struct.pack("<B", has_c)
        out += b"".join(encode(x, fmt) for x in a + b)
        out += b"".join(accumulator(x) for x in (c if has_c else ()) + d)
    destination.write_bytes(out)
    print(source.stem, cases, "cases", len(out), "bytes")


if __name__ == "__main__":
    for file in sorted(pathlib.Path(sys.argv[1]).glob("*.bin")):
        pack(file, pathlib.Path(sys.argv[2]) / (file.stem + ".tc"))
