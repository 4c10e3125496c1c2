#!/usr/bin/env bash
# try.sh [KERLAB] [DEVICE]: adds PTX of a generator to the family of ../saxpy, tunes it beside the CUDA kernel, and shows
# that a generator which forgets the tail is found out. Without a GPU on an emulated one.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kerlab=${1:-kerlab}
device=${2:-emu:h200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$here/../saxpy" "$folder/saxpy"
cp "$here/emitted.toml" "$folder/saxpy"
python3 "$here/emit.py" "$folder/saxpy"
options=(--device "$device" --db "$folder/db")
"$kerlab" tune "$folder/saxpy" --N 1M --variant emitted "${options[@]}" | tee "$folder/out"
grep -q '^winner: emitted ' "$folder/out"
"$kerlab" check "$folder/saxpy" --N 1M --variant all "${options[@]}"

python3 "$here/emit.py" "$folder/saxpy" --forget-tail
if "$kerlab" check "$folder/saxpy" --N 1M --config VEC=4 --variant emitted "${options[@]}" >"$folder/out"; then
  echo "FAILED: a wrong kernel passed" && exit 1
fi
head -12 "$folder/out"

# What was not emitted is an error of that configuration alone.
rm "$folder/saxpy/saxpy_2.ptx"
"$kerlab" bench "$folder/saxpy" --N 1M --variant emitted --config VEC=2 "${options[@]}" >"$folder/out" 2>&1 && exit 1
cat "$folder/out"
grep -q 'saxpy_2.ptx: no such file' "$folder/out"
