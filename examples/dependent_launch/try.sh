#!/usr/bin/env bash
# try.sh [KERLAB] [DEVICE]: tunes the family and checks all variants; then a second launch that reads what the first one
# writes before it has waited must be found out. Without a GPU on an emulated one.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kerlab=${1:-kerlab}
device=${2:-emu:h200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
options=(--M 200 --N 1000 --device "$device" --db "$folder/db")
"$kerlab" tune "$here" "${options[@]}" | tee "$folder/out"
grep -q '^winner: ' "$folder/out"
"$kerlab" check "$here" "${options[@]}" --variant two_launches --config "PDL=true CARVEOUT=50"
"$kerlab" check "$here" "${options[@]}" --variant clusters
[[ $device == emu:* ]] || exit 0  # a GPU does not see what is only a matter of time

cp -r "$here" "$folder/wrong"
sed -i '/^  wait_for_last();$/d; s/^  s\[column\] = /  wait_for_last();\n&/' "$folder/wrong/two_launches.cu"
if "$kerlab" check "$folder/wrong" "${options[@]}" --variant two_launches --config PDL=true >"$folder/out"; then
  echo "FAILED: a wrong kernel passed" && exit 1
fi
grep 'griddepcontrol.wait' "$folder/out" | head -3
