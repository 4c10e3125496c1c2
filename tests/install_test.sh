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
kib=$(du -sk --apparent-size . | cut -f 1) # of what is in the files: blocks are the file system's
echo "install tree: $kib KiB"
((kib <= 29 * 1024)) || fail "larger than 29 MiB"
# Catch ends with the number of tests that it lists.
[[ -n $(bin/kerlab_gpu_tests --list-test-names-only "[gpu]" || true) ]] || fail "no tests for a GPU in the tree"
bin/kerlab --version
bin/kerlab list >"$folder/list"
grep -q gemm "$folder/list" || fail "kerlab list does not find gemm in the tree: $(cat "$folder/list")"
for file in bash-completion/completions/kerlab zsh/site-functions/_kerlab fish/vendor_completions.d/kerlab.fish \
  man/man1/kerlab.1 man/man1/kerlab-tune.1; do
  [[ -s share/$file ]] || fail "share/$file is missing"
done
