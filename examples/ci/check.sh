#!/usr/bin/env bash
# check.sh [KERLAB]: what a CI job does, on a copy of examples/saxpy: records, passes, goes red for a kernel that became
# more expensive (2) or wrong (3), accepts an increase. No GPU, no network, leaves nothing behind.
set -euo pipefail
kerlab=$(command -v "${1:-kerlab}") || { echo "usage: check.sh KERLAB" >&2; exit 64; }
kerlab=$(realpath -- "$kerlab")
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mkdir "$work/kernels"
cp -r -- "$here/../saxpy" "$work/kernels/"
cd -- "$work"
where=(--device emu:h200 --kernels kernels --baselines kernels/baselines --no-history)

# expect CODE WORDS...: runs kerlab regress, and looks at how it ends.
expect() {
  local wanted=$1 code=0
  shift
  "$kerlab" regress "$@" "${where[@]}" >out.txt 2>err.txt || code=$?
  if ((code != wanted)); then
    echo "check.sh: kerlab regress $*: exit code $code instead of $wanted" >&2
    cat out.txt err.txt >&2
    exit 1
  fi
}
says() { grep -q -e "$1" "$2" || { echo "check.sh: $2 does not say '$1'" >&2; cat "$2" >&2; exit 1; }; }
edit() { sed -i "$1" kernels/saxpy/vectorised.cu; }

expect 5                                          # nothing is recorded yet: that is no success
expect 0 record saxpy --N 20000
expect 0
says "1 identical" out.txt

edit 's/z = a x + y with/z = a x + y, with/'      # words only: another source, the same program
expect 0
says "1 passed" out.txt

edit 's/    zs\[i\] = r;/    for (int e = 0; e < VEC; ++e) reinterpret_cast<volatile DTYPE*>(z)[i * VEC + e] = r.at[e];/'
export GITHUB_STEP_SUMMARY=$work/summary.md
expect 2 --github --junit kerlab.xml --markdown kerlab.md
says '^::error file=kernels/saxpy/vectorised.cu,line=23,title=regressed' out.txt
says "global_requests" out.txt
says "## kerlab regress: 1 kernel: 1 regressed" summary.md
says "type=\"regressed\"" kerlab.xml
cmp -s summary.md kerlab.md

expect 0 accept saxpy --why "an example of a planned increase"
says 'why = "an example of a planned increase"' kernels/baselines/main/emu-h200-132sm/saxpy/*.toml
expect 0

edit 's/a \* p.at\[e\] + q.at\[e\]/a * p.at[e] - q.at[e]/'
expect 3
says "wrong" out.txt
expect 3 accept saxpy                             # a wrong kernel becomes no baseline
echo "check.sh: recorded, passed, caught a more expensive and a wrong kernel, accepted an increase"
