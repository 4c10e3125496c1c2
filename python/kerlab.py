"""kerlab from Python: every command of the program, its JSON document as a dictionary.

    import kerlab

    lab = kerlab.Kerlab(device="emu:h200")
    best = lab.tune("gemm", M=4096, dtype="bf16", trials=32)
    print(best["rows"][0]["trial"]["configuration"])
    assert lab.check("gemm", M=512, variant="reg2d").passed

Needs Python 3.8 and the program, nothing else. Keys of the documents: docs/json.md.

Keyword arguments are the program's options: `trials=32` is `--trials 32`, `dry_run=True` is `--dry-run`, `M=4096` is
`--M 4096`, a list repeats the option (`variant=["reg2d", "warp_tile"]`). False and None leave it out. A dictionary as
`config` becomes "BM=128,BN=64".
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["Document", "Error", "Kerlab", "bench", "check", "explain", "run", "tune"]

PASSED, FAILED, REGRESSED, WRONG, INCONCLUSIVE, NOTHING, USAGE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 64, 130
SCHEMA_VERSION = 2


class Error(Exception):
    """The program wrote no document: what it said instead is the message, `exit_code` says of what kind it is."""

    def __init__(self, message, exit_code, command):
        super().__init__(message)
        self.exit_code = exit_code
        self.command = command


class Document(dict):
    """What a command wrote. Its keys are those of docs/json.md."""

    def __init__(self, keys, exit_code, messages):
        super().__init__(keys)
        self.exit_code = exit_code  # as in docs/exit-codes.md: 2 regressed, 3 wrong, ...
        self.messages = messages  # standard error: warnings, why something was left out

    @property
    def passed(self):
        return self.exit_code == PASSED


def find_program():
    """$KERLAB_PROGRAM, else the launcher of the checkout that this file is in, else what was installed with it."""
    named = os.environ.get("KERLAB_PROGRAM")
    if named:
        return named
    here = Path(__file__).resolve().parent
    installed = [tree / "bin" / "kerlab" for tree in (here, *here.parents[2:3], Path(sys.prefix))]
    for candidate in (here.parent / "kerlab", *installed):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which("kerlab")
    if found:
        return found
    raise Error("no program kerlab: put it on the PATH, or set KERLAB_PROGRAM to it", FAILED, [])


def _text(value):
    if isinstance(value, dict):
        return ",".join(f"{name}={_text(one)}" for name, one in value.items())
    return str(int(value)) if isinstance(value, bool) else str(value)


def arguments(options):
    """["--M", "4096", "--dry-run"] of {"M": 4096, "dry_run": True}."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words += [option, _text(one)]
    return words


class Kerlab:
    """The program with options that every call shares, such as device, db or kernels. Calls wait for the end."""

    def __init__(self, program=None, **options):
        self.program = program or find_program()
        self.options = options

    def run(self, command, *words, timeout=None, **options):
        """One command, such as run("db", "failures"). Raises Error where the program writes no document."""
        line = [self.program, *command.split(), *map(str, words), *arguments({**self.options, **options}), "--json"]
        try:
            done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout,
                                  stdin=subprocess.DEVNULL, check=False)
        except OSError as error:
            raise Error(f"{self.program} does not start: {error.strerror}", FAILED, line) from error
        if not done.stdout.strip():
            raise Error(done.stderr.strip() or f"kerlab ended with {done.returncode}", done.returncode, line)
        keys = json.loads(done.stdout)
        if keys.get("schema_version") != SCHEMA_VERSION:
            raise Error(f"{self.program} writes schema_version {keys.get('schema_version')}, this module reads "
                        f"{SCHEMA_VERSION}: use the module that came with the program", FAILED, line)
        return Document(keys, done.returncode, done.stderr)

    def tune(self, family, **options):
        """Finds the fastest verified configuration: document["rows"], the winner first."""
        return self.run("tune", family, **options)

    def check(self, family, **options):
        """Verifies, adversarial inputs included: document.passed, document["rows"]."""
        return self.run("check", family, **options)

    def bench(self, family, **options):
        """Times one configuration, or the winner: document["rows"][0]["measurement"]["median_us"]."""
        return self.run("bench", family, **options)

    def explain(self, family, **options):
        """What bounds a problem or a kernel, and what to try next."""
        return self.run("explain", family, **options)


def run(command, *words, **options):
    """Kerlab().run: with the program found by itself and the settings of kerlab.toml."""
    return Kerlab().run(command, *words, **options)


def tune(family, **options):
    return Kerlab().tune(family, **options)


def check(family, **options):
    return Kerlab().check(family, **options)


def bench(family, **options):
    return Kerlab().bench(family, **options)


def explain(family, **options):
    return Kerlab().explain(family, **options)
