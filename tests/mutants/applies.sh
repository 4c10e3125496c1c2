#!/usr/bin/env bash
# Every patch in tests/mutants applies to the kernels as they are: those of the nightly tier are found out today too.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=${here%/tests/mutants}
work=$(mktemp -d "${TMPDIR:-/tmp}/kerlab-mutants-apply.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" # what another patch has left there is copied anew, or not looked at
count=0 failed=0
cd "$root" || exit 1
for patch in "$here"/*/*.patch; do
  mapfile -t files < <(sed -n 's#^--- a/##p' "$patch")
  cp -L --parents "${files[@]}" "$work/tree" &&
    awk -v folder="$work/tree" -f "$here/apply.awk" "$patch" 2>"$work/errors" ||
    { echo "${patch#"$root"/} does not apply: $(sed "s#$work/tree/##" "$work/errors")"; failed=1; }
  count=$((count + 1))
done
echo "$count patches tried"
((count > 0 && !failed))
