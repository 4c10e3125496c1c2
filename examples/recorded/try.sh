#!/usr/bin/env bash
# try.sh [KERLAB] [DEVICE]: tunes a family of which no kernel says what is right, and shows that a wrong kernel and a
# problem without a recording are found out. With NumPy another problem is recorded. Without a GPU on an emulated one.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kerlab=${1:-kerlab}
device=${2:-emu:h200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$here" "$folder/solve"
options=(--device "$device" --db "$folder/db")
"$kerlab" tune "$folder/solve" "${options[@]}" | tee "$folder/out"
grep -q 'against recordings' "$folder/out"  # what the verdict is worth
"$kerlab" check "$folder/solve" "${options[@]}" --variant all

# A problem that nobody has solved is refused, with the command that writes its inputs.
if "$kerlab" check "$folder/solve" "${options[@]}" --S 40 2>"$folder/out"; then
  echo "FAILED: checked against nothing" && exit 1
fi
cat "$folder/out"
grep -q -- '--save-inputs' "$folder/out"
python=${PYTHON:-python3}
if "$python" -c 'import numpy, tomllib' 2>/dev/null; then
  "$kerlab" check "$folder/solve" --S 40 --save-inputs "$folder/solve/recorded"
  "$python" "$here/record.py" "$folder/solve/recorded"
  "$kerlab" check "$folder/solve" "${options[@]}" --S 40
else
  echo "NumPy is not there: record.py is not run"
fi

# The last unknown is left as the first pass had it, and so are all that follow from it.
cp -r "$folder/solve" "$folder/wrong"
sed -i 's/int i = N - 2; i >= 0/int i = N - 3; i >= 0/' "$folder/wrong/thomas.cu"
if "$kerlab" check "$folder/wrong" "${options[@]}" >"$folder/out"; then
  echo "FAILED: a wrong kernel passed" && exit 1
fi
head -12 "$folder/out"
