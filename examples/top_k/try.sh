#!/usr/bin/env bash
# try.sh [KERLAB] [DEVICE]: tunes the family, checks the winner, and shows that a kernel which names one of two equal
# elements twice is found out. Without a GPU on an emulated one.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kerlab=${1:-kerlab}
device=${2:-emu:h200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
options=(--M 500 --N 300 --device "$device" --db "$folder/db")
"$kerlab" tune "$here" "${options[@]}" | tee "$folder/out"
grep -q '^winner: row_per_block ' "$folder/out"
"$kerlab" check "$here" "${options[@]}"

# A mistake that real kernels make: the index is looked up by its value, so that two equal elements are both the first.
cp -r "$here" "$folder/top_k"
sed -i -E 's|(indices\[.*\]) = best.at;|int at = 0; while (to_float(X[first + at]) != best.value) ++at; \1 = at;|' \
  "$folder/top_k/row_per_block.cu"
if "$kerlab" check "$folder/top_k" "${options[@]}" --config THREADS=128 --fail-fast >"$folder/out"; then
  echo "FAILED: a wrong kernel passed" && exit 1
fi
cat "$folder/out"
grep -q 'an index twice' "$folder/out"
