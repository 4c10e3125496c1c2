#!/usr/bin/env bash
# faults_test.sh KERLAB_TESTS LISTING: docs/faults.md has at least 40 kinds, and every test that it names is one of the
# test program's, every file one of the checkout's, and every file executable.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
table=$root/docs/faults.md
failed=0
# The program answers with the number of tests as exit code (Catch2 v2).
tests=$("$1" "${@:2}") || true

kinds=0
while IFS= read -r line; do
  kinds=$((kinds + 1))
  cells=${line//\\|//}
  [[ $(tr -cd '|' <<<"$cells") == '|||||' ]] || { echo "faults.md: not four cells: $line"; failed=1; continue; }
  names=$(cut -d'|' -f5 <<<"$cells" | sed 's/^ *//; s/ *$//')
  [[ -n $names ]] || { echo "faults.md: no test: $line"; failed=1; }
  # Names may hold "; " themselves: the longest that is a test is taken.
  while [[ -n $names ]]; do
    name=$names
    until [[ $name == \`*\` && $name != *'; '* && -x $root/${name//\`/} ]] || grep -qxF -- "$name" <<<"$tests"; do
      [[ $name == *'; '* ]] || { echo "faults.md: no such test or program: $name"; failed=1; break; }
      name=${name%'; '*}
    done
    names=${names#"$name"} names=${names#'; '}
  done
done < <(grep '^| ' "$table" | grep -v -e '^| kind ' -e '^| --- ')

((kinds >= 40)) || { echo "faults.md: $kinds kinds"; failed=1; }
((failed)) || echo "$kinds kinds of faults, every one with its test"
exit "$failed"
