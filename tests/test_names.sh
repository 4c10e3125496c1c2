#!/usr/bin/env bash
# CMake's lists swallow test names with brackets or semicolons: everything behind one would become a single test.
set -euo pipefail
cd -- "${1:?usage: tests/test_names.sh ROOT}/tests"
if grep -rnE 'TEST_CASE\("[^"]*[][;\\][^"]*"' --include='*.cpp' .; then
  echo "test names must be without [ ] ; and backslash" >&2
  exit 1
fi
