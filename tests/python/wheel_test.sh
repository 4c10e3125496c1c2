#!/usr/bin/env bash
# wheel_test.sh BUILD: a wheel of the build holds what its RECORD says, and the program that it carries works.
set -euo pipefail
build=${1:?usage: wheel_test.sh BUILD_FOLDER}
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset KERLAB_SHARE KERLAB_PROGRAM
cmake --install "$build" --strip --prefix "$folder/tree" >/dev/null
wheel=$("$root/python/make_wheel.py" "$folder/tree" "$folder")
echo "$wheel: $(stat -c %s "$wheel") bytes"
# What pip does: top level and .data/{scripts,data} into one prefix.
python3 - "$wheel" "$folder/prefix" <<'END'
import base64, hashlib, sys, zipfile
from pathlib import Path
archive, prefix = zipfile.ZipFile(sys.argv[1]), Path(sys.argv[2])
record = next(name for name in archive.namelist() if name.endswith("RECORD"))
lines = dict(line.split(",", 1) for line in archive.read(record).decode().split("\n") if line)
assert set(lines) == set(archive.namelist()), set(lines) ^ set(archive.namelist())
for name in archive.namelist():
    content = archive.read(name)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    assert name == record or lines[name] == f"sha256={digest},{len(content)}", name
    place = name.split(".data/scripts/")[-1] if ".data/scripts/" in name else name.split(".data/data/")[-1]
    file = prefix / ("bin/" + place if ".data/scripts/" in name else place)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    file.chmod(0o755 if "/bin/" in str(file) else 0o644)
END
cd "$folder/prefix"
PYTHONPATH=. python3 -c 'import kerlab; assert kerlab.find_program().endswith("prefix/bin/kerlab"), kerlab.find_program()
assert any(family["name"] == "gemm" for family in kerlab.run("list")["families"])'
