#!/usr/bin/env bash
# try.sh [KERLAB] [DEVICE]: tunes a kernel that includes a library from elsewhere. Without a GPU on an emulated one.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kerlab=${1:-kerlab}
device=${2:-emu:h200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
family=$work/family # away from the library: it is no part of the kernel's project
mkdir "$family"
cp "$here"/*.toml "$here"/*.cu "$family"
run() { XDG_CONFIG_HOME=$work/config "$kerlab" "$@" --device "$device" --db "$work/db"; }
fails() {
  if run "$@" >"$work/out" 2>&1; then
    cat "$work/out"
    return 1
  fi
  cat "$work/out"
}

# Without the folder the header is not found.
fails check "$family" --only --M 12 --N 20 --no-cache
grep -q 'tiles/access/load.hpp' "$work/out"

run tune "$family" --M 48 --N 40 --include "$here/include" | tee "$work/out"
grep -q '^winner: transpose ' "$work/out"
# Words are typed, shown and stored as words.
run bench "$family" --M 48 --N 40 --include "$here/include" --config ORDER=col,VEC=float4,READ_ONLY=false --json >"$work/json"
grep -q 'ORDER=col VEC=float4 READ_ONLY=false' "$work/json"
run check "$family" --only --M 7 --N 9 --include "$here/include" --config VEC=float | grep 'VEC=float '
fails check "$family" --only --include "$here/include" --config VEC=double
grep -q "'double' is not one of float, float2, float4" "$work/out"

# The user's own configuration names the folder too; a spec or a project's kerlab.toml never does.
mkdir -p "$work/config/kerlab"
# shellcheck disable=SC2016
echo 'include = ["$TILES/include"]' >"$work/config/kerlab/kerlab.toml"
export TILES=$here
run check "$family" --only --M 12 --N 20 --config ORDER=col

# What is included is part of what a trial is: another text, another source. No path of it is stored.
cp -r "$here/include" "$work/include"
echo '// another text' >>"$work/include/tiles/order/detail.hpp"
run bench "$family" --M 48 --N 40 --include "$work/include" --config ORDER=col,VEC=float4,READ_ONLY=false --json >"$work/json2"
source_of() { grep -o '"source_hash": *"[0-9a-f]*"' "$1" | head -1; }
[[ -n $(source_of "$work/json") && $(source_of "$work/json") != $(source_of "$work/json2") ]]
if grep -q "$work/include" "$work/db"; then
  echo "the database tells where the headers lie" >&2
  exit 1
fi
