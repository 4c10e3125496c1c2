#!/usr/bin/env python3
"""make_wheel.py TREE FOLDER: a wheel of the installed tree TREE (bin/kerlab, share/kerlab), with the module kerlab.

`pip install` puts the program into bin/ and its kernels into share/ of the environment, where it finds them. The format:
packaging.python.org, "Binary distribution format". Prints the file that was written.
"""

import base64
import hashlib
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def version_of(program):
    said = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.search(r"\d+(\.\d+)+", said).group()


def files_of(tree, version):
    """[(name in the wheel, file)]: the module at the top, the rest under .data, which pip spreads over the prefix."""
    data = f"kerlab-{version}.data"
    files = [("kerlab.py", Path(__file__).resolve().parent / "kerlab.py"), (f"{data}/scripts/kerlab", tree / "bin/kerlab")]
    share = tree / "share/kerlab"
    files += [(f"{data}/data/share/kerlab/{file.relative_to(share)}", file)
              for file in sorted(share.rglob("*")) if file.is_file()]
    return files


def write_wheel(tree, folder):
    version = version_of(tree / "bin/kerlab")
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"kerlab-{version}.dist-info"
    texts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: kerlab\nVersion: {version}\n"
                            "Summary: CUDA kernel lab and autotuner\nRequires-Python: >=3.8\nLicense: MIT\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: kerlab\nRoot-Is-Purelib: false\nTag: {tag}\n",
    }
    wheel = folder / f"kerlab-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in files_of(tree, version):
            archive.write(file, name)
            record.append(record_line(name, file.read_bytes()))
        for name, text in texts.items():
            archive.writestr(name, text)
            record.append(record_line(name, text.encode()))
        record.append(f"{info}/RECORD,,")
        archive.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return wheel


if __name__ == "__main__":
    if len(sys.argv) != 3 or not (Path(sys.argv[1]) / "bin/kerlab").is_file():
        sys.exit("usage: make_wheel.py TREE FOLDER; TREE has bin/kerlab (cmake --install build/release --prefix TREE)")
    print(write_wheel(Path(sys.argv[1]), Path(sys.argv[2])))
