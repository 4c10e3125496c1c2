#!/usr/bin/env bash
# try.sh [KERLAB] [DEVICE]: tunes the template's instances and checks the winner. Without a GPU on an emulated one.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kerlab=${1:-kerlab}
device=${2:-emu:h200}
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT
"$kerlab" tune "$here" --N 100003 --device "$device" --db "$database/db" | tee "$database/out"
grep -q '^winner: scale ' "$database/out"
"$kerlab" check "$here" --N 100003 --device "$device" --db "$database/db"
