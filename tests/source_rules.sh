#!/bin/sh
# No file of C++ under src/ is longer than 400 lines. "Below about 300" is the style (CONTRIBUTING.md); beyond 400 a file
# holds more than one idea. Names every offender and fails if there is one.
cd -- "${1:?usage: source_rules.sh ROOT}" || exit 1
find src -name '*.h' -o -name '*.cpp' -o -name '*.inc' | sort | xargs wc -l | awk '
$2 != "total" && $1 > 400 { printf "%s: %d lines are more than 400: split it by what it does\n", $2, $1; bad = 1 }
END { exit bad }'
