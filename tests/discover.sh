#!/bin/sh
# discover.sh PROGRAM OUT OPTION...: asks a Catch2 program for its test cases and writes them as tests for ctest. A test
# without its GPU shows as skipped. Catch2 passes when a name matches nothing: here that fails.
set -e
program=$1
out=$2
shift 2
# Catch2 v2 answers with the number of tests as exit code.
{ "$program" "$@" || true; } | awk -v program="$program" '
  NF {
    spec = $0
    gsub(/\\/, "\\\\", spec)
    gsub(/,/, "\\,", spec)
    gsub(/\[/, "\\[", spec)
    printf "add_test([=[%s]=] [=[%s]=] [=[%s]=])\n", $0, program, spec
    # What executes or compiles shipped kernels has a budget of its own in tests/run, and takes longest.
    kernels = $0 ~ /^(emulated kernels|gemm|softmax|reduce|example)/
    printf "set_tests_properties([=[%s]=] PROPERTIES TIMEOUT %d", $0, kernels ? 900 : 300
    printf " FAIL_REGULAR_EXPRESSION \"No test cases matched|No tests ran\""
    if (kernels) printf " LABELS kernels COST 10"
    printf " SKIP_REGULAR_EXPRESSION \"skipped: no CUDA device\")\n"
  }
  END { if (NR == 0) exit 1 }' >"$out.new"
mv "$out.new" "$out"
