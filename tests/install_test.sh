#!/usr/bin/env bash
# install_test.sh BUILD: installs a build and looks at the tree: small, no shared library but libc and libm, and complete
# enough to work after it was moved.
set -euo pipefail
build=${1:?usage: install_test.sh BUILD_FOLDER}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset KERLAB_SHARE
cmake --install "$build" --strip --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/moved"
cd "$folder/moved"
fail() {
  echo "FAILED: $*"
  exit 1
}

for program in bin/*; do
  extra=$(ldd "$program" | grep -vE 'linux-vdso|libc\.so\.6|libm\.so\.6|/ld-linux' || true)
  [[ -z $extra ]] || fail "$program needs more than libc and libm: $extra"
done
kib=$(du -sk . | cut -f 1)
echo "install tree: $kib KiB"
((kib <= 32 * 1024)) || fail "larger than 32 MiB"
# Without the tests, which a machine with a GPU and no compiler runs from the tree.
program=$((kib - $(du -sk bin/kerlab_tests 2>/dev/null | cut -f 1 || echo 0)))
((program <= 16 * 1024)) || fail "larger than 16 MiB without the tests"
bin/kerlab --version
bin/kerlab list >"$folder/list"
grep -q gemm "$folder/list" || fail "kerlab list does not find gemm in the tree: $(cat "$folder/list")"
