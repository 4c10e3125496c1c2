#!/usr/bin/env python3
"""Draws what a command prints on a terminal as an SVG: docs/pictures/tune.svg is made by docs/pictures/tune.sh.

terminal.py --columns 100 --out FILE [--keep FROM-TO,...] -- COMMAND...
runs COMMAND at a pseudo-terminal of that width, keeps these of its lines (1 is the first; a gap is drawn as "...")
and writes FILE. What is drawn is what was printed: colours and bold, nothing added."""

import argparse
import html
import os
import pty
import re
import select
import struct
import sys
import fcntl
import termios

STYLES = {1: "bold", 2: "dim", 31: "red", 32: "green", 33: "yellow", 34: "blue", 35: "magenta", 36: "cyan"}
CHARACTER, LINE, MARGIN = 8.4, 19, 16


def printed(command, columns):
    """All that `command` writes at a terminal of so many columns."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.environ["KERLAB_PAGER"] = ""
        os.environ.pop("NO_COLOR", None)
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    output = b""
    while True:
        select.select([terminal], [], [])
        try:
            some = os.read(terminal, 65536)
        except OSError:
            break
        if not some:
            break
        output += some
    os.waitpid(child, 0)
    return output.decode("utf-8", "replace")


def screen_lines(text):
    """What stays on the screen: of a line that was written over, the last."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        lines.append(re.split(r"\r|\x1b\[2?K", line)[-1])
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def spans(line):
    """(class, text) of each stretch of one style."""
    style = ""
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b["):
            codes = [int(code or 0) for code in part[2:-1].split(";")]
            style = " ".join(STYLES[code] for code in codes if code in STYLES)
        elif part:
            yield style, part


def kept(lines, ranges):
    if not ranges:
        return lines
    result, last = [], 0
    for piece in ranges.split(","):
        first, _, end = piece.partition("-")
        first, end = int(first), int(end or first)
        if first > last + 1:
            result.append("\x1b[2m...\x1b[0m")
        result += lines[first - 1 : end]
        last = end
    return result


def svg(command, lines, columns):
    width, height = columns * CHARACTER + 2 * MARGIN, (len(lines) + 1) * LINE + 2 * MARGIN
    rows = [f'<text x="{MARGIN}" y="{MARGIN + 13}"><tspan class="dim">$ </tspan>'
            f'<tspan class="bold">{html.escape(command)}</tspan></text>']
    for number, line in enumerate(lines, 1):
        texts = "".join(f'<tspan class="{style}">{html.escape(text)}</tspan>' for style, text in spans(line))
        rows.append(f'<text x="{MARGIN}" y="{MARGIN + 13 + number * LINE}" xml:space="preserve">{texts}</text>')
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" role="img" aria-label="{html.escape(command)}">
<style>
text {{ font: 14px ui-monospace, "SFMono-Regular", "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d8dee9; white-space: pre; }}
.paper {{ fill: #1d2129; }} .bold {{ font-weight: 700; fill: #ffffff; }} .dim {{ fill: #8a93a3; }} .red {{ fill: #f07178; }}
.green {{ fill: #a5d6a7; }} .yellow {{ fill: #ffcb6b; }} .blue {{ fill: #82aaff; }} .magenta {{ fill: #c792ea; }} .cyan {{ fill: #80deea; }}
</style>
<rect class="paper" width="100%" height="100%" rx="8"/>
{chr(10).join(rows)}
</svg>
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--keep", default="")
    parser.add_argument("--shown", default="", help="the command as it is shown")
    parser.add_argument("--out", required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    lines = kept(screen_lines(printed(options.command, options.columns)), options.keep)
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(svg(options.shown or " ".join(options.command), lines, options.columns))
    print(f"{options.out}: {len(lines)} lines of {options.columns} columns", file=sys.stderr)


if __name__ == "__main__":
    main()
