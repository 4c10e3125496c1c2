#!/bin/sh
# tidy.sh [FILE...]: clang-tidy 14 over these sources, or all of src/. Minutes; run by hand.
cd -- "$(dirname -- "$0")/.." || exit 1
command -v clang-tidy-14 >/dev/null || { echo "clang-tidy-14 is needed: apt-get install clang-14 clang-tidy-14" >&2; exit 1; }
# A build folder of its own: clang cannot read GCC's precompiled headers and flags.
cmake -B build/tidy -G Ninja -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null || exit 1
[ $# -gt 0 ] || set -- $(find src -name '*.cpp')
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 4 clang-tidy-14 -p build/tidy --quiet
