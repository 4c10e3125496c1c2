#!/usr/bin/env bash
# man_lint.sh KERLAB: man pages without a complaint of mandoc's or groff's. Exit code 77, which ctest shows as skipped,
# where neither is installed.
set -euo pipefail
program=$(realpath -- "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" man --dir "$folder"
checked=
if command -v mandoc >/dev/null; then
  checked+=" mandoc"
  mandoc -T lint "$folder"/*.1 >"$folder/log" || true
fi
if command -v groff >/dev/null; then
  checked+=" groff"
  for page in "$folder"/*.1; do groff -man -Tutf8 -ww "$page" 2>>"$folder/log" >/dev/null; done
fi
[[ -n $checked ]] || { echo "skipped: neither mandoc nor groff is installed"; exit 77; }
if [[ -s $folder/log ]]; then
  cat "$folder/log"
  exit 1
fi
echo "$(ls "$folder"/*.1 | wc -l) pages, no complaint of$checked"
