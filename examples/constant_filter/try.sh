#!/usr/bin/env bash
# try.sh [KERLAB] [DEVICE]: tunes the family, checks all variants, and shows that a filter which is turned round wrongly
# before the runs is found out. Without a GPU on an emulated one.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kerlab=${1:-kerlab}
device=${2:-emu:h200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
options=(--N 5000 --W 17 --device "$device" --db "$folder/db")
"$kerlab" tune "$here" "${options[@]}" | tee "$folder/out"
grep -q 'not timed: ' "$folder/out"
"$kerlab" check "$here" "${options[@]}" --variant all

cp -r "$here" "$folder/wrong"
sed -i 's/if (k < W) turned/if (k < W - 1) turned/' "$folder/wrong/turned.cu"
if "$kerlab" check "$folder/wrong" "${options[@]}" --variant turned >"$folder/out"; then
  echo "FAILED: a wrong kernel passed" && exit 1
fi
head -12 "$folder/out"
