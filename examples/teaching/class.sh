#!/usr/bin/env bash
# class.sh [KERLAB]: the session of README.md, with the answers put in: what the exercises ask for must come out. No GPU,
# no network, leaves nothing behind.
set -euo pipefail
kerlab=$(command -v "${1:-kerlab}") || { echo "usage: class.sh KERLAB" >&2; exit 64; }
kerlab=$(realpath -- "$kerlab")
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cp -r -- "$here/transpose" "$work/"
cd -- "$work"
where=(--device emu:h200 --db class.db)

# expect CODE WORDS...: runs kerlab, and looks at how it ends; the screen is in out.txt.
expect() {
  local wanted=$1 code=0
  shift
  "$kerlab" "$@" "${where[@]}" >out.txt 2>err.txt || code=$?
  ((code == wanted)) && return
  echo "class.sh: kerlab $*: exit code $code instead of $wanted" >&2
  cat out.txt err.txt >&2
  exit 1
}
says() { grep -q -e "$1" out.txt || { echo "class.sh: not said: $1" >&2; cat out.txt >&2; exit 1; }; }

# 1: the ladder of matrix products, rung by rung.
expect 0 tune gemm --M 256 --dtype fp32 --ladder --variant naive,coalesced,smem_tile --trials 3
says "the ladder"
says "coalesced"
# 2: what is wrong with the naive transposition.
expect 0 inspect ./transpose/naive --M 512
says "touch 32 sectors per request where 4 would do"
# 3: the exercise as it is handed out is wrong, the answer is right.
expect 3 check ./transpose --variant tiled --M 100 --only
says "nobody wrote them"
cp "$here/answers/tiled.cu" transpose/
expect 0 check ./transpose --variant tiled --M 100 --only
# 4: an answer without its barrier: numbers may be right by chance, the sanitizer is not fooled.
sed -i '/__syncthreads/d' transpose/tiled.cu
expect 3 check ./transpose --variant tiled --M 100 --only --sanitize
cp "$here/answers/tiled.cu" transpose/
# 5: bank conflicts, and what PAD does to them.
expect 0 inspect ./transpose/tiled --M 512 PAD=0
says "32-way bank conflict"
expect 0 inspect ./transpose/tiled --M 512 PAD=1
! grep -q "bank conflict at\|way bank conflict" out.txt || { echo "class.sh: PAD=1 has conflicts" >&2; exit 1; }
# 6: the tuner finds the same.
expect 0 tune ./transpose --M 2048 --ladder
says "^winner: tiled TILE=32 ROWS=. PAD=1"
echo "class.sh: the session holds, from the naive kernel to PAD=1"
