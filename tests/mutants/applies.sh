#!/usr/bin/env bash
# Every patch in tests/mutants applies to the kernels as they are: those of the nightly tier are found out today too.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
cd "${here%/tests/mutants}" || exit 1
patches=(tests/mutants/*/*.patch)
awk -v folder=. -v tries=1 -f tests/mutants/apply.awk "${patches[@]}" || exit 1
echo "${#patches[@]} patches apply"
