#!/bin/sh
# Draws docs/pictures/tune.svg from a real run on the emulated H200 with an empty database (a minute or so of one core).
# KERLAB names another program than ./kerlab.
cd -- "$(dirname -- "$0")/../.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
KERLAB_DB=$folder/kerlab.db docs/pictures/terminal.py --columns 116 --keep 1,2,4-9,17-18,22-24 \
  --shown "kerlab tune gemm --M 4096" --out docs/pictures/tune.svg -- \
  "${KERLAB:-./kerlab}" tune gemm --M 4096 --device emu:h200
