#!/usr/bin/env bash
# try.sh [KERLAB] [DEVICE]: tunes the family, checks the winner on rows of every kind, and shows that a kernel which takes
# every row for longer than nothing is found out. Without a GPU on an emulated one.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kerlab=${1:-kerlab}
device=${2:-emu:h200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
options=(--M 3000 --N 2000 --Z 30000 --device "$device" --db "$folder/db")
"$kerlab" tune "$here" "${options[@]}" | tee "$folder/out"
grep -q '^winner: lanes_per_row ' "$folder/out"
"$kerlab" check "$here" "${options[@]}"

# A mistake that real kernels make: no row was empty where they were tried.
cp -r "$here" "$folder/csr"
sed -i -E 's|for \(int i = starts\[row\]; i < starts\[row \+ 1\]; \+\+i\) (.*);|int i = starts[row]; do \1; while (++i < starts[row + 1]);|' \
  "$folder/csr/row_per_thread.cu"
grep -q 'do sum' "$folder/csr/row_per_thread.cu"
if "$kerlab" check "$folder/csr" "${options[@]}" --variant row_per_thread >"$folder/out"; then
  echo "FAILED: a wrong kernel passed" && exit 1
fi
cat "$folder/out"
