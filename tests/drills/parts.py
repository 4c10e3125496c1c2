"""What drills on a GPU share: commands run in named parts, within one budget of minutes, each part's output in a file."""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Drill:
    """A drill of this class has a method for each of its PARTS, in the order in which they matter."""

    PARTS = []
    DATABASE = "drill.db"

    def __init__(self, options):
        self.out = pathlib.Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.end = time.monotonic() + 60 * options.minutes
        self.kerlab, self.jobs, self.chosen = options.kerlab, options.jobs, options.only or self.PARTS
        self.failed, self.left_out = [], []

    def left(self):
        return self.end - time.monotonic()

    def run(self, part, command, most=None, least=10, show=True):
        """Runs a command, its output to the screen (unless not to be shown) and to a file of its part; at most `most`
        seconds, and not at all with less than `least` left. Returns its output."""
        limit = min(self.left(), most or self.left())
        text = " ".join(map(str, command))
        if self.left() < least:
            self.left_out.append(text)
            return ""
        if show: print(f"== {part}: {text}", flush=True)
        began = time.monotonic()
        try:
            # A session of its own: what a script has started ends with it, and leaves the GPU to the next part.
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       start_new_session=True)
            try:
                output, code = process.communicate(timeout=limit)[0], process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, code = process.communicate()[0], "time is up"
        except FileNotFoundError as error:
            output, code = str(error), "not there"
        with open(self.out / f"{part}.txt", "a") as file:
            file.write(f"== {text}\n{output}\n== {code}, {time.monotonic() - began:.1f} s\n")
        if show: print(f"{output[-6000:]}\n== {code}, {time.monotonic() - began:.1f} s", flush=True)
        if code != 0: self.failed.append(f"{text} ({code})")
        return output

    def tool(self, part, words, **limits):
        command = [self.kerlab, *words.split(), "--db", self.out / self.DATABASE]
        if self.jobs: command += ["--jobs", str(self.jobs)]
        return self.run(part, command, **limits)

    def gpu_tests(self, most=120):
        places = [pathlib.Path(self.kerlab).parent / "kerlab_gpu_tests", *ROOT.glob("build/*/tests/kerlab_tests")]
        program = next((place for place in places if place.exists()), None)
        if program: self.run("tests", [program, "[gpu]"], most=most)
        else: self.left_out.append("[gpu] tests: no kerlab_gpu_tests beside kerlab, no kerlab_tests in build/")

    def clocks(self):
        self.run("clocks", ["nvidia-smi", "-q", "-d", "POWER,CLOCK,PERFORMANCE"], most=20, least=1)


def main(drill_class, doc, minutes=9, add_options=lambda parser: None):
    """Reads the command line, runs the parts, and ends with what was left out and what failed."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kerlab", nargs="?", help="default: bin/kerlab or build/release/bin/kerlab of this tree, or PATH")
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--out", default=f"{pathlib.Path(sys.argv[0]).name}.out")
    parser.add_argument("--only", action="append", choices=drill_class.PARTS)
    parser.add_argument("--jobs", type=int)
    add_options(parser)
    options = parser.parse_args()
    here = [str(path) for path in (ROOT / "bin/kerlab", ROOT / "build/release/bin/kerlab") if path.exists()]
    options.kerlab = options.kerlab or (here + [shutil.which("kerlab") or ""])[0]
    if not options.kerlab: sys.exit("no kerlab here or in PATH: name one")
    drill = drill_class(options)
    for part in drill.chosen:
        getattr(drill, part)()
    for what in drill.left_out:
        print(f"left out, time was up or it is not there: {what}")
    for what in drill.failed:
        print(f"failed: {what}")
    sys.exit(1 if drill.failed else 0)
