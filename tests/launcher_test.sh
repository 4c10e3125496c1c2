#!/usr/bin/env bash
# Tests ./kerlab and cmake/setup.sh in a toy checkout whose cmake, apt-get, dpkg-query and sudo are stand-ins that write
# down how they were called.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
toy=$(mktemp -d)
trap 'rm -rf "$toy"' EXIT
unset KERLAB_PREFIX
failures=0

check() { # check WHAT EXPECTED ACTUAL
  [[ $2 == "$3" ]] && return
  printf 'FAILED: %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}
contains() { # contains WHAT PART TEXT
  [[ $3 == *"$2"* ]] && return
  printf 'FAILED: %s\n  %s\n  is not in: %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}
stand_in() { # stand_in NAME: body on standard input
  { echo '#!/bin/sh' && cat; } >"$toy/bin/$1"
  chmod +x "$toy/bin/$1"
}

mkdir -p "$toy"/{bin,checkout/{src/base,cmake,kernels/common,tuning_db/schema},cuda/include}
cp "$root/kerlab" "$toy/checkout/"
cp "$root/cmake/setup.sh" "$toy/checkout/cmake/"
touch "$toy"/checkout/{CMakeLists.txt,CMakePresets.json,src/base/a.h,src/base/b.h} "$toy/cuda/include/nvrtc.h"
echo '#define CUDA_VERSION 12040' >"$toy/cuda/include/cuda.h"
stand_in dpkg-query <<<'case "$*" in *"$MISSING"*) [ -n "$MISSING" ] && exit 1 ;; esac; echo installed'
stand_in sudo <<<'exit 1'
stand_in apt-get <<<'echo "$*" >>"$TOY/apt.calls"; exit "${APT_EXIT:-0}"'
stand_in cmake <<'E2'
[ "$1" = --build ] || exit 0
echo build >>"$TOY/cmake.calls"
echo begin >>"$TOY/order"
[ -z "$STEPS" ] || printf '[%s/4] Building\n' $STEPS
sleep "${SLOW:-0}"
echo end >>"$TOY/order"
[ -z "$EDIT" ] || touch "$EDIT"
[ -z "$BREAK" ] || { echo "a.cpp:1: error: broken"; exit 2; }
mkdir -p build/release/bin
printf '#!/bin/sh\nprintf "<%%s>" "$@"\nexit 7\n' >build/release/bin/kerlab
chmod +x build/release/bin/kerlab
E2
export TOY=$toy PATH=$toy/bin:$PATH CUDA_HOME=$toy/cuda MISSING="" EDIT="" BREAK="" STEPS=""
builds() { cat "$toy/cmake.calls" 2>/dev/null | wc -l; }
kerlab() { "$toy/checkout/kerlab" "$@"; }

# The first run builds, says so on standard error only, and hands arguments and exit code through.
code=0
out=$(kerlab tune "a b" '' 2>"$toy/err") || code=$?
check "first run: output" '<tune><a b><>' "$out"
check "first run: exit code" 7 "$code"
check "first run: builds" 1 "$(builds)"
contains "first run: says what it does" "building release" "$(cat "$toy/err")"

# Up to date: nothing but the program.
check "second run: quiet" '<x>' "$(kerlab x 2>&1)"
(cd "$toy" && ln -s checkout/kerlab link && check "through a link" '<x>' "$(./link x 2>&1)")
(cd "$toy/checkout" && check "by PATH" '<x>' "$(PATH=.:$PATH kerlab x 2>&1)")
check "no build when nothing changed" 1 "$(builds)"
# What it costs beside a shell that starts find and a program: so much a machine needs for three processes.
shortest() { # shortest KNOWN COMMAND...: the shorter of what is known and what the command takes now, ns
  local known=$1 before took
  shift
  before=$(date +%s%N)
  "$@" >/dev/null || true
  took=$(($(date +%s%N) - before))
  echo $((took < known ? took : known))
}
best=1000000000 bare=1000000000
for _ in {1..10}; do
  best=$(shortest "$best" kerlab)
  bare=$(shortest "$bare" sh -c 'find "$1" -maxdepth 0 -print -quit; exec true' sh "$toy")
done
echo "launcher, up to date: $((best / 1000)) us, best of 10; a shell with find: $((bare / 1000)) us"
check "up to date costs no more than two such shells" yes "$( ((best <= 2 * bare)) && echo yes || echo "$((best / 1000)) us")"

# What makes it build again: a file that changed, came, or went, also during a build.
expect_build() { # expect_build WHAT
  local before
  before=$(builds)
  kerlab >/dev/null 2>&1 || true
  check "$1" $((before + 1)) "$(builds)"
}
touch "$toy/checkout/src/base/a.h" && expect_build "a changed file"
touch "$toy/checkout/src/base/a.h"
shown=$(STEPS="1 2 3" script -qec "$toy/checkout/kerlab" /dev/null) || true
contains "a terminal is told how far the build is" "building 25 %" "$shown"
contains "and goes on being told" "building 75 %" "$shown"
rm "$toy/checkout/src/base/b.h" && expect_build "a removed file"
touch "$toy/checkout/kernels/common/new.h" && expect_build "a new header of the kernels"
touch "$toy/checkout/CMakeLists.txt" && EDIT=$toy/checkout/src/base/a.h expect_build "a changed list"
expect_build "a file edited while it was being built"

touch "$toy/checkout/src/base/a.h"
before=$(builds)
check "completion of what is out of date" '<complete><-->' "$(kerlab complete -- 2>&1)"
check "completion never builds" "$before" "$(builds)"
expect_build "after a completion"

# Two first runs at once take turns; the second finds everything built.
rm -rf "$toy/checkout/build" "$toy/order"
SLOW=1 kerlab one >"$toy/one" 2>"$toy/one.err" &
SLOW=1 kerlab two >"$toy/two" 2>"$toy/two.err" || true
wait $! || true
check "two first runs: both ran" '<one><two>' "$(cat "$toy/one" "$toy/two")"
check "two first runs: in turn" 'begin end begin end' "$(tr '\n' ' ' <"$toy/order" | sed 's/ $//')"
contains "two first runs: one says that it waits" "another kerlab is building; waiting" "$(cat "$toy"/*.err)"

# A build that fails.
touch "$toy/checkout/src/base/a.h"
code=0
out=$(BREAK=1 kerlab 2>&1) || code=$?
check "broken build: exit code" 1 "$code"
contains "broken build: the error" "error: broken" "$out"
contains "broken build: the log" "build/release/log" "$out"
expect_build "after a broken build"

# Missing packages.
touch "$toy/checkout/src/base/a.h"
if ((EUID == 0)); then
  MISSING=libfmt-dev expect_build "after installing a package"
  contains "missing package" "install -y --no-install-recommends libfmt-dev" "$(cat "$toy/apt.calls")"
  touch "$toy/checkout/src/base/a.h"
  out=$(APT_EXIT=100 MISSING=libfmt-dev kerlab 2>&1) || true
  contains "apt-get fails" "by hand: sudo apt-get install -y --no-install-recommends libfmt-dev" "$out"
  chmod -R a+rwX "$toy"
  out=$(MISSING=libfmt-dev setpriv --reuid=65534 --regid=65534 --clear-groups "$toy/checkout/kerlab" 2>&1) || true
else
  out=$(MISSING=libfmt-dev kerlab 2>&1) || true
fi
check "not root: one line" "kerlab: packages are missing: sudo apt-get install -y --no-install-recommends libfmt-dev" "$out"

# A toolkit that is too old.
echo '#define CUDA_VERSION 11080' >"$toy/cuda/include/cuda.h"
out=$(kerlab 2>&1) || true
contains "old toolkit" "the CUDA Toolkit found is 11.8, older than 12.4" "$out"
check "old toolkit: one line" 1 "$(wc -l <<<"$out")"

# Installed trees win.
mkdir -p "$toy/checkout/install/bin" "$toy/prefix/bin"
printf '#!/bin/sh\necho installed\n' >"$toy/checkout/install/bin/kerlab"
printf '#!/bin/sh\necho prefix\n' >"$toy/prefix/bin/kerlab"
chmod +x "$toy/checkout/install/bin/kerlab" "$toy/prefix/bin/kerlab"
check "install/ beside it" installed "$(kerlab)"
check "KERLAB_PREFIX" prefix "$(KERLAB_PREFIX=$toy/prefix kerlab)"
code=0
out=$(KERLAB_PREFIX=$toy/none kerlab 2>&1) || code=$?
contains "wrong KERLAB_PREFIX" "KERLAB_PREFIX=$toy/none has no bin/kerlab" "$out"
check "wrong KERLAB_PREFIX: exit code" 1 "$code"

((failures == 0)) && echo "all checks passed"
exit $((failures > 0))
