#!/usr/bin/env bash
# minute.sh [KERLAB]: from nothing to a winner of one's own, as README.md tells it. Works in a temporary folder; the device
# is KERLAB_DEVICE, else the emulated H200.
set -euo pipefail
kerlab=$(command -v "${1:-kerlab}") || { echo "usage: minute.sh KERLAB" >&2; exit 64; }
kerlab=$(realpath -- "$kerlab")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd -- "$work"
where=(--device "${KERLAB_DEVICE:-emu:h200}" --db minute.db)
say() { echo "\$ $*"; }
begun=$SECONDS

say kerlab new blend
"$kerlab" new blend

# Our operation is out = alpha x + (1 - alpha) y: one line of the reference, one of each kernel.
say "sed -i ... blend/*.cu        # out = alpha x + (1 - alpha) y"
sed -i 's/const ACC addend = ACC(to_float(y\[element\]));/const ACC addend = (ACC(1) - ACC(alpha)) * ACC(to_float(y[element]));/' blend/reference.cu
sed -i 's/alpha \* to_float(x\[i\]) + to_float(y\[i\])/alpha * to_float(x[i]) + (1 - alpha) * to_float(y[i])/' blend/simple.cu

# The second kernel is forgotten: check says so.
say kerlab check ./blend --variant all --N 5000 --only
code=0
"$kerlab" check ./blend --variant all --N 5000 --only "${where[@]}" 2>/dev/null || code=$?
((code == 3)) || { echo "minute.sh: a wrong kernel was not found" >&2; exit 1; }

say "sed -i ... blend/unrolled.cu  # there as well"
sed -i 's/alpha \* a\[item\] + b\[item\]/alpha * a[item] + (1 - alpha) * b[item]/' blend/unrolled.cu
say kerlab check ./blend --variant all --N 5000 --only
"$kerlab" check ./blend --variant all --N 5000 --only "${where[@]}" 2>/dev/null

say kerlab tune ./blend --N 1M --trials 12
"$kerlab" tune ./blend --N 1M --trials 12 "${where[@]}" 2>/dev/null
say kerlab show winner ./blend
"$kerlab" show winner blend "${where[@]}" >show.txt
head -n 3 show.txt
echo "minute.sh: a winner of our own after $((SECONDS - begun)) s"
