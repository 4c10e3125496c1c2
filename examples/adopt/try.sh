#!/usr/bin/env bash
# try.sh [KERLAB] [DEVICE]: adopts a kernel of matmul.cu as it is, checks and tunes it; and a wrong twin, which is found out.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kerlab=${1:-kerlab}
device=${2:-emu:h200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
size=(--m 40 --n 70 --k 33)
on=(--device "$device" --db "$work/db")

"$kerlab" adopt "$here/matmul.cu" --kernel matmul_tiled --reference matmul_naive --in "$work"
"$kerlab" check "$work/matmul" --only "${size[@]}" "${on[@]}" | tee "$work/out"
grep -q 'checks passed' "$work/out"
"$kerlab" tune "$work/matmul" "${size[@]}" --trials 3 "${on[@]}" | tee "$work/out"
grep -q '^winner: matmul_tiled ' "$work/out"
grep -q 'against another kernel' "$work/out"  # what the check is worth

# Without the last, ragged step of the sum: right where K is a multiple of TILE, and only there.
sed 's/start < k; start/start + TILE <= k; start/' "$here/matmul.cu" >"$work/twin.cu"
! cmp -s "$here/matmul.cu" "$work/twin.cu"
"$kerlab" adopt "$work/twin.cu" --kernel matmul_tiled --reference matmul_naive --in "$work"
if "$kerlab" check "$work/twin" --only "${size[@]}" "${on[@]}" >"$work/out"; then
  echo "the wrong twin was not found out" >&2
  exit 1
fi
grep '^wrong ' "$work/out"

# With its space, from the JSON of a tuner (T1): values and conditions in Python's syntax, a filter in constant memory.
"$kerlab" adopt "$here/convolution.json" --in "$work"
"$kerlab" list "$work/convolution" --space | tee "$work/out"
grep -Eq 'valid +-> 83 ' "$work/out"
"$kerlab" check "$work/convolution" --only use_shared=0 "${on[@]}" | tee "$work/out"
grep -q 'checks passed' "$work/out"
sed -i 's/in_width + column + x\]/in_width + column + x + 1]/' "$work/convolution/convolution.cu"
if "$kerlab" check "$work/convolution" --only use_shared=0 "${on[@]}" >"$work/out"; then
  echo "the wrong twin without shared memory was not found out" >&2
  exit 1
fi
grep '^wrong ' "$work/out"
