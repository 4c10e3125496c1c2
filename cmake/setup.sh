#!/usr/bin/env bash
# setup.sh PRESET [TARGET...]: makes the machine ready and builds a preset. Shared by ./kerlab and tests/run.
#   1. the CUDA Toolkit must be there;  2. missing Debian packages are installed, or named;  3. configure and build.
# Everything it says goes to standard error; the build's own output to build/PRESET/log.
set -euo pipefail

preset=$1
shift
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$root/build/$preset
log=$build/log
cuda_needed=12040 # 12.4, as CUDA_VERSION writes it
packages=(g++ cmake ninja-build libfmt-dev libtomlplusplus-dev nlohmann-json3-dev libcli11-dev libsqlitecpp-dev
  libsqlite3-dev libxxhash-dev zlib1g-dev libfp16-dev libedit-dev)
[[ $preset == release ]] || packages+=(catch2)

say() { echo "kerlab: $*" >&2; }
die() {
  say "$@"
  exit 1
}

# CUDA_VERSION of the first toolkit found, or nothing.
cuda_version() {
  local folder
  for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /opt/cuda /usr/lib/cuda; do
    [[ -n $folder && -f $folder/include/nvrtc.h ]] || continue
    awk '$1 == "#define" && $2 == "CUDA_VERSION" { print $3; exit }' "$folder/include/cuda.h"
    return
  done
}

require_cuda() {
  local found how="get it from https://developer.nvidia.com/cuda-downloads, or set CUDA_HOME to where it is"
  found=$(cuda_version)
  [[ -n $found ]] || die "the CUDA Toolkit (12.4 or newer) was not found in CUDA_HOME or /usr/local/cuda: $how"
  ((found >= cuda_needed)) ||
    die "the CUDA Toolkit found is $((found / 1000)).$((found % 1000 / 10)), older than 12.4: $how"
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

# Lists may be absent or old, so a failed installation is tried once more after an update.
install_packages() {
  local apt=("$@")
  shift $#
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" && return
  "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}

require_packages() {
  command -v dpkg-query >/dev/null || return 0 # not Debian: CMake names what it does not find
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
  if ((EUID != 0)); then
    sudo -n true 2>/dev/null || die "packages are missing: sudo apt-get install -y --no-install-recommends ${missing[*]}"
    apt=(sudo -n "${apt[@]}")
  fi
  say "installing ${missing[*]}"
  install_packages "${apt[@]}" >>"$log" 2>&1 </dev/null ||
    die "apt-get failed (see $log); by hand: sudo apt-get install -y --no-install-recommends ${missing[*]}"
}

# Weighs a step of the build by its line: a unit of many files takes about four times as long as another.
weigh() {
  weight=1
  if [[ $1 == *"/Unity/"* ]]; then weight=4; fi
}

# The steps of a build from nothing, and what they weigh.
weigh_all() {
  local line weight
  while IFS= read -r line; do
    weigh "$line"
    all_weight=$((all_weight + weight))
    all_steps=$((all_steps + 1))
  done < <(ninja -C "$build" -t commands "$@" 2>/dev/null)
}

# "43 %, about 2 min left": from ninja's "[57/131] ..." and the time that the weight so far took.
progress() {
  local steps=${1#*/} total percent seconds=$((SECONDS - started)) left
  total=$((${steps%%]*} * all_weight / all_steps))
  total=$((total < done_weight ? done_weight : total))
  percent=$((100 * done_weight / total))
  left=$((seconds * (total - done_weight) / done_weight))
  ((percent <= 99)) || percent=99 # linking
  if ((seconds < 10)); then echo "$percent %"
  elif ((left < 60)); then echo "$percent %, less than a minute left"
  else echo "$percent %, about $(((left + 30) / 60)) min left"; fi
}

# Reads the build's output: all of it into the log, its progress onto one line of a terminal.
show_progress() {
  local line done_weight=0 weight
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ -t 2 && $line == "["*"/"*"] "* ]] || continue
    weigh "$line"
    done_weight=$((done_weight + weight))
    printf '\r\e[Kkerlab: building %s' "$(progress "$line")" >&2
  done
  if [[ -t 2 ]]; then printf '\r\e[K' >&2; fi
}

build_preset() {
  local targets=() target all_weight=1 all_steps=1
  for target in "$@"; do targets+=(--target "$target"); done
  cmake --preset "$preset" >>"$log" 2>&1 </dev/null || return
  weigh_all "$@"
  cmake --build "build/$preset" --parallel "$(nproc)" "${targets[@]}" 2>&1 </dev/null | show_progress
}

cd -- "$root"
require_cuda
mkdir -p -- "$build" 2>/dev/null || die "cannot write $build: make the checkout writable, or set KERLAB_PREFIX to an installed tree"
exec 9>"$build/lock"
if ! flock -n 9; then
  say "another kerlab is building; waiting"
  flock 9
fi
: >"$log"
require_packages
# The stamp carries the time of the start: what is edited during the build is built next time.
touch "$build/stamp.new"
say "building $preset (log: build/$preset/log)"
# ccache, where it is used, accepts our precompiled header only with these.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros} CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root}
started=$SECONDS
if ! build_preset "$@"; then
  grep -m 5 -A 3 -E '^FAILED|error:|CMake Error' "$log" >&2 || true
  die "the build failed; all of its output is in $log"
fi
mv -- "$build/stamp.new" "$build/stamp"
say "built in $((SECONDS - started)) s"
