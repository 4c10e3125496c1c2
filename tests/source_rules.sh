#!/bin/sh
# No file of C++ under src/ is longer than 400 lines. "Below about 300" is the style (CONTRIBUTING.md); beyond 400 a file
# holds more than one idea. And no reference of a kernel includes a header that its family's kernels include: what is wrong
# there would count as right. And every file of C++ under tests/ is listed to be built: what is not cannot fail. Names
# every offender and fails if there is one.
cd -- "${1:?usage: source_rules.sh ROOT}" || exit 1
find src -name '*.h' -o -name '*.cpp' -o -name '*.inc' | sort | xargs wc -l | awk '
$2 != "total" && $1 > 400 { printf "%s: %d lines are more than 400: split it by what it does\n", $2, $1; bad = 1 }
END { exit bad }' || bad=1
for reference in kernels/*/reference.cu; do
  folder=${reference%/reference.cu}
  for header in $(sed -n 's/^#include "\([^/"]*\)".*/\1/p' "$reference"); do
    for user in $(grep -lF "#include \"$header\"" "$folder"/*.cu "$folder"/*.cuh 2>/dev/null); do
      [ "$user" = "$reference" ] && continue
      echo "$reference: $header is included by $user as well: a mistake in it would count as right"
      bad=1
    done
  done
done
listed=$(find tests -name CMakeLists.txt | while read -r list; do
  sed 's/#.*//' "$list" | grep -o '[A-Za-z0-9_/]*\.cpp' | sed "s|^|${list%/*}/|"
done)
for file in $(find tests -name '*.cpp' | sort); do
  printf '%s\n' "$listed" | grep -qxF "$file" && continue
  echo "$file: no CMakeLists.txt lists it: it is never built"
  bad=1
done
exit ${bad:-0}
