#!/usr/bin/env bash
# demo.sh KERLAB: the guided tour to its end, without anybody who presses Enter. It must end as it tells, leave the new
# kernel behind and nothing else, and overwrite nothing.
set -euo pipefail
program=$(realpath -- "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tmp" "$folder/here" "$folder/here/my_first"
cd "$folder/here"
fail() { echo "FAILED: $*"; cat "$folder/out" "$folder/err"; exit 1; }
export TMPDIR=$folder/tmp HOME=$folder XDG_DATA_HOME=$folder/data KERLAB_DB= XDG_CACHE_HOME=$folder/cache
unset KERLAB_DB
begun=$SECONDS
# At a terminal of few lines: nothing may go through a pager, which would take the keys that go on with the tour.
export PAGER="echo the pager;"
unset KERLAB_PAGER
script -qec "stty rows 12; '$program' demo --yes --device emu:h200 --color never 2>'$folder/err'" /dev/null </dev/null |
  tr -d '\r' >"$folder/out" || fail "exit code $?"
! grep -q 'the pager' "$folder/out" || fail "a pager was opened"
codes=$(grep -x 'exit code [0-9]*' "$folder/out" | sed 's/exit code //' | tr '\n' ' ')
[[ $codes == "0 0 0 0 3 0 2 0 0 " ]] || fail "exit codes $codes"
[[ -z $(ls -A "$TMPDIR") ]] || fail "left behind: $(ls -A "$TMPDIR")"
[[ ! -e $XDG_DATA_HOME ]] || fail "it used the user's database"
[[ $(ls) == $'my_first\nmy_first_2' && -z $(ls my_first) && -e my_first_2/simple.cu ]] || fail "here is $(ls)"
echo "seven steps in $((SECONDS - begun)) s"
