#!/usr/bin/env bash
# try.sh [KERLAB] [DEVICE]: five kernels as one finds them, adopted, with the edits that each needs; then checked on shapes
# that break kernels, and a wrong twin of each, which must be rejected. A minute or two.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kerlab=${1:-kerlab}
device=${2:-emu:h200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# found FAMILY VARIANT EDIT-OF-THE-FAMILY EDIT-THAT-MAKES-IT-WRONG [OPTION-OF-ADOPT]...
found() {
  local family=$1 variant=$2 edit=$3 wrong=$4
  shift 4
  "$kerlab" adopt "$here/$family.cu" --in "$work" "$@" >/dev/null
  [[ -z $edit ]] || sed -i "$edit" "$work/$family/family.toml"
  sed 's/^source = .*/source = "twin.cu"/' "$work/$family/$variant.toml" >"$work/$family/twin.toml"
  sed "$wrong" "$work/$family/$family.cu" >"$work/$family/twin.cu"
  ! cmp -s "$work/$family/$family.cu" "$work/$family/twin.cu"
  echo "== $family"
  "$kerlab" check "$work/$family" --variant "$variant" --device "$device" --db "$work/db" | tail -n 1
  if "$kerlab" check "$work/$family" --variant twin --device "$device" --db "$work/db" >"$work/out"; then
    echo "the wrong twin of $family was not found out" >&2
    exit 1
  fi
  echo "its twin: $(tail -n 1 "$work/out")"
}

found pnpoly pnpoly '' 's/j < VERTICES; k = j++/j < VERTICES - 1; k = j++/'
found hotspot hotspot_step '' 's/x < cols - 1 ?/x < cols - 2 ?/'
found layernorm layernorm_inplace '' '0,/sq += (row\[i\] - mean) \* (row\[i\] - mean)/s//sq += row[i] * row[i]/' \
  --kernel layernorm_inplace --reference layernorm_naive
found gather embedding_gather 's/range = \[0, "tokens"\].*/range = [0, "vocab"]/' 's/i < dim; i += blockDim.x/i + 3 < dim; i += blockDim.x/'
found permute permute_tokens 's/range = \[0, "tokens"\].*/range = [0, "tokens"]\norder = "distinct"/' \
  's/y\[(size_t)to \* hidden + i\] = x\[(size_t)t/y[(size_t)t * hidden + i] = x[(size_t)to/'
