#!/usr/bin/env bash
# ptx_program_test.sh KERLAB_PTX: the example program of the emulator on examples/ptx/small.ptx: numbers, counts, errors.
set -uo pipefail
program=$1
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd -P)
failures=0
said=

run() { # run EXIT_CODE ARGUMENT...
  local expected=$1 code=0
  shift
  said=$(cd -- "$root" && "$program" "$@" 2>&1) || code=$?
  ((code == expected)) || fail "exit code $code instead of $expected: kerlab_ptx $*"
}
fail() {
  printf 'FAILED: %s\nsaid:\n%s\n' "$1" "$said"
  failures=$((failures + 1))
}
has() { [[ $said == *"$1"* ]] || fail "no '$1'"; }

small=examples/ptx/small.ptx
# y = 2 x + 1 of 500 numbers, by 4 blocks of 128: 16 warps fetch, the last one with 20 of its lanes.
run 0 $small --kernel saxpy --grid 4 --block 128 --arg i32:500 --arg f32:2 --arg buffer:f32:512:index \
  --arg buffer:f32:512:1 --show 4 --lines 1
has "saxpy on emu:h200, 4 blocks"
has "arg 2: 512 f32, 0 changed: 0 1 2 3 ..."
has "arg 3: 512 f32, 499 changed: 1 3 5 7 ..." # the first is 2 * 0 + 1, as before
has "$(printf '%-24s %12d\n' "flops" 1000)"
has "$(printf '%-24s %12d\n' "global bytes loaded" 4000)"
has "$(printf '%-24s %12d\n' "global bytes stored" 2000)"
has "$(printf '%-24s %12d\n' "global sectors" 189)" # 63 for each of three accesses: 500 floats fill 62.5
# Sums of 0..127 and 128..255, in fp32, with a barrier for each of 7 rounds in 4 warps of 2 blocks.
run 0 $small --kernel block_sum --grid 2 --block 128 --arg buffer:f32:256:index --arg buffer:f32:2
has "arg 1: 2 f32, 2 changed: 8128 24512"
has "$(printf '%-24s %12d\n' "barriers" 56)"
run 0 $small --kernel block_sum --grid 2 --block 128 --arg buffer:f32:256:index --arg buffer:f32:2 --sanitize
has "nothing found"
# A buffer that is too small: a fault as on a GPU, or a finding with its line.
run 1 $small --kernel saxpy --grid 4 --block 128 --arg i32:512 --arg f32:2 --arg buffer:f32:64 --arg buffer:f32:512
has "illegal"
run 3 $small --kernel saxpy --grid 4 --block 128 --arg i32:512 --arg f32:2 --arg buffer:f32:64 --arg buffer:f32:512 --sanitize
has "out of bounds"
# What is typed wrongly names what to type.
run 64 $small --grid 4 --block 128
has "which kernel? --kernel NAME; there is saxpy, block_sum"
run 64 $small --kernel saxpi --grid 4 --block 128
has "--kernel saxpi: $small has saxpy, block_sum"
run 64 $small --kernel saxpy --grid 4 --block 128 --arg i32:512
has "'saxpy' has 4 parameters, but 1 --arg are given"
run 64 $small --kernel saxpy --grid 4 --block 128 --arg i33:512
has "'i33' is not a type; there are f64"
run 64 $small --kernel saxpy --grid 4 --block 128 --arg i8:512
has "512 does not fit into i8"
run 64 $small --kernel saxpy --arg i32:512
has "Give --grid and --block"
run 64 $small --kernel saxpy --grid 4 --block 128 --arg i32:512 --arg f32:2 --arg buffer:f32:512 --arg buffer:f32:512 \
  --device h900
has "emu:h900: no such profile"
run 1 no.ptx --grid 1 --block 32
has "no.ptx"
run 1 README.md --grid 1 --block 32
has "README.md: ptx:1: character 0x23 does not belong to PTX"
exit $((failures > 0))
