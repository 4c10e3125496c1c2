#!/usr/bin/env bash
# try.sh [KERLAB]: what README.md tells: the family is right in all its types, a mistake in its map is found, and a tune
# ends with a winner that moves each byte once. No GPU, leaves nothing behind.
set -euo pipefail
kerlab=$(command -v "${1:-kerlab}") || { echo "usage: try.sh KERLAB" >&2; exit 64; }
kerlab=$(realpath -- "$kerlab")
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd -- "$work"
mkdir l2_normalise
cp -- "$here"/*.toml "$here"/*.cu l2_normalise/
where=(--device emu:h200 --db try.db)

# expect CODE WORDS...: runs kerlab, and looks at how it ends; the screen is in out.txt.
expect() {
  local wanted=$1 code=0
  shift
  "$kerlab" "$@" "${where[@]}" >out.txt 2>err.txt || code=$?
  ((code == wanted)) && return
  echo "try.sh: kerlab $*: exit code $code instead of $wanted" >&2
  cat out.txt err.txt >&2
  exit 1
}

for dtype in bf16 fp16 fp32; do
  expect 0 check ./l2_normalise --dtype "$dtype" --M 9 --N 1003 --only
done
expect 0 check ./l2_normalise --M 9 --N 1000 --config LANES=32,ROWS=4,VEC=8 --row-padding 32 --only
expect 0 check ./l2_normalise --M 9 --N 1000 --only --sanitize

expect 0 tune ./l2_normalise --M 512 --N 1024 --trials 6
grep '^winner' out.txt
expect 0 bench ./l2_normalise --M 512 --N 1024 --counts
[[ $(awk '/global (loads|stores)/ && $NF == "1.0000"' out.txt | wc -l) == 2 ]] ||
  { echo "try.sh: the winner moves more than x and y" >&2; cat out.txt >&2; exit 1; }

# The map of the mean square instead of the sum.
sed -i 's/Sum()) + epsilon/Sum()) \/ N + epsilon/' l2_normalise/row_tile.cu
expect 3 check ./l2_normalise --M 9 --N 1003 --only
echo "try.sh: right in three types, a wrong map is found"
