#!/usr/bin/env bash
# run_test.sh KERLAB: tests/mutants/run tells a rejected mutant from one that survives, that does not apply, that does not
# compile and that is checked on nothing, and from a check that the kernel as it is does not pass.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=${here%/tests/mutants}
work=$(mktemp -d "${TMPDIR:-/tmp}/kerlab-mutants-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/mutants/saxpy"
cp "$here/run" "$here/apply.awk" "$work/tests/mutants/"
ln -s "$root/kernels" "$root/examples" "$root/configs" "$work/"

# mutant NAME CHECK OLD NEW: one that changes this line of saxpy.
mutant() {
  printf 'bug: of the test\nclass: test\ncheck: %s\n\n--- a/examples/saxpy/vectorised.cu\n+++ b/examples/saxpy/vectorised.cu\n@@ -1,1 +1,1 @@\n-%s\n+%s\n' \
    "$2" "$3" "$4" >"$work/tests/mutants/saxpy/$1.patch"
}
line='    for (int e = 0; e < VEC; ++e) r.at[e] = a * p.at[e] + q.at[e];'
easy='examples/saxpy --N 5003 --only'
mutant wrong "$easy" "$line" "${line/+ q/- q}"
mutant right "$easy" "$line" "${line/+ q.at\[e\]/+ 1.0f * q.at[e]}"
mutant changed "$easy" "${line/VEC/FOUR}" "$line"
mutant broken "$easy" "$line" "${line/q.at/q.of}"
mutant misnamed "$easy --M 7" "$line" "${line/+ q/- q}"

out=$("$work/tests/mutants/run" --kerlab "$1" --jobs 2)
code=$?
failed=0
expect() { grep -qE -- "$1" <<<"$out" || { echo "no line like: $1"; failed=1; }; }
expect '^rejected  saxpy/wrong .*bound \(normal\)'
expect '^SURVIVED  saxpy/right '
expect '^ERROR     saxpy/changed .*does not apply.*examples/saxpy/vectorised.cu: what the patch changes near line 1 is not there'
expect '^ERROR     saxpy/broken .*not run: .*"of"'
expect '^ERROR     saxpy/misnamed .*exit code 64'
expect '^WRONG     check examples/saxpy --N 5003 --only --M 7 .*exit code 64'
expect '^1 of 5 mutants rejected, 1 survived, 3 in error; 1 of 2 checks of the kernels as they are passed'
[[ $code == 1 ]] || { echo "exit code $code"; failed=1; }

# All is well where all are rejected.
rm "$work"/tests/mutants/saxpy/{right,changed,broken,misnamed}.patch
"$work/tests/mutants/run" --kerlab "$1" >/dev/null || { echo "a rejected mutant is not enough"; failed=1; }
((failed)) && echo "$out"
exit "$failed"
