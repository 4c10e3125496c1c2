#!/usr/bin/env bash
# Tests include_rules.sh: what it must reject, in a toy checkout with the tables of docs/architecture.md.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
toy=$(mktemp -d)
trap 'rm -rf "$toy"' EXIT
failures=0
mkdir "$toy/docs"
cp "$root/docs/architecture.md" "$toy/docs/"
# Every room of the tables has a file, and so has each module that is named here.
for folder in base plan db cli spec spec/{expression,toml,space} verify verify/{input,emulated} session/{shapes,run,find,beside,tune,check,values,regress,bench,history,export,analyse,adopt} \
  report/{form,text,picture,dispatch,html,markdown} cli/{frame,tune,check,regress,bench,analyse,database,help,lab}; do
  mkdir -p "$toy/src/$folder"
  echo '#include <string>' >"$toy/src/$folder/plain.cpp"
done
cp "$root/src/base/modules.h" "$toy/src/base/"

failed() { # failed WHAT
  echo "FAILED: $1, said:"
  cat "$toy/said"
  failures=$((failures + 1))
}
passes() { "$root/tests/include_rules.sh" "$toy" >"$toy/said"; }
allowed() { # allowed FOLDER HEADER
  echo "#include $2" >"$toy/src/$1/probe.cpp"
  passes || failed "src/$1 may include $2"
  rm "$toy/src/$1/probe.cpp"
}
rejected() { # rejected FOLDER HEADER WHAT_IS_SAID
  mkdir -p "$toy/src/$1"
  echo "#include $2" >"$toy/src/$1/probe.cpp"
  ! passes && grep -qF -- "src/$1/probe.cpp:1: $3" "$toy/said" || failed "src/$1 may not include $2: $3"
  rm "$toy/src/$1/probe.cpp"
}
opened() { # opened FOLDER NAMESPACE [WHAT_IS_SAID]
  printf 'namespace %s {\n' "$2" >"$toy/src/$1/probe.h"
  if [[ -z ${3:-} ]]; then passes || failed "src/$1 may open namespace $2"
  else ! passes && grep -qF -- "src/$1/probe.h:1: namespace $2 in a file of src/$1: $3" "$toy/said" ||
    failed "src/$1 may not open namespace $2: $3"; fi
  rm "$toy/src/$1/probe.h"
}
sight() { # sight SED_EXPRESSION WHAT_IS_SAID
  sed -i "$1" "$toy/src/base/modules.h"
  ! passes && grep -qF -- "src/base/modules.h: $2" "$toy/said" || failed "$2"
  cp "$root/src/base/modules.h" "$toy/src/base/"
}

allowed session/tune '"session/run/rig.h"'
allowed session/tune '"session/find/subject.h"'
allowed session/tune '"session/tune/finals.h"'
allowed session/run '"db/database.h"'
allowed cli/tune '"session/regress/time_gate.h"'
allowed cli/lab '"cli/tune/tune_command.h"'
allowed cli/help '"cli/commands.h"'
allowed cli '"cli/frame/command.h"'
allowed db '<sqlite3.h>'

rejected plan '"session/run/rig.h"' 'plan may not include session'
rejected session/run '"session/find/subject.h"' 'session/run may not include session/find'
rejected session/tune '"session/check/check.h"' 'session/tune may not include session/check'
rejected session/regress '"cli/frame/command.h"' 'session may not include cli'
rejected session/regress '"rig.h"' 'include "rig.h": write it from src/'
rejected cli/frame '"cli/commands.h"' 'cli/frame may not include cli'
rejected cli/tune '"cli/check/sanitize.h"' 'cli/tune may not include cli/check'
rejected report/text '"report/html/page.h"' 'report/text may not include report/html'
rejected report/text '<nlohmann/json.hpp>' '<nlohmann/json.hpp> belongs elsewhere'
rejected session '"session/run/rig.h"' 'folder src/session is not in the room table'
rejected session/guess '<string>' 'folder src/session/guess is not in the room table'
rejected guess '<string>' 'folder src/guess is not in the module table'

mkdir -p "$toy"/src/device/emu/ptx
opened base kerlab
opened plan kerlab::plan
opened session/tune kerlab::session
opened db kerlab::db::rows
opened device/emu kerlab::emu::numeric
opened device/emu/ptx kerlab::ptx
opened plan kerlab 'open kerlab::plan'
opened cli/lab kerlab::session 'open kerlab::cli'
opened db kerlab::dbase 'open kerlab::db'
opened device/emu kerlab::device 'open kerlab::emu'
opened device/emu/ptx kerlab::emu 'open kerlab::ptx'
sight 's/^namespace db .*/namespace db {}/' 'namespace db does not see trial'
sight 's/^namespace trial {/& using namespace db;/' 'namespace trial sees db'

echo 'if (trial.device_kind == "cuda") return;' >"$toy/src/session/find/probe.cpp"
! passes && grep -qF 'src/session/find/probe.cpp:1: what the device can do decides' "$toy/said" || failed "a stored kind that is compared"
rm "$toy/src/session/find/probe.cpp"

mkdir -p "$toy"/tests/{plan,session/tune,cli/guess}
! passes && grep -q '^tests/cli/guess: tests mirror src' "$toy/said" || failed "tests of a room that is not there"
rmdir "$toy/tests/cli/guess"
passes || failed "tests of a room"

for i in $(seq 25); do echo >"$toy/src/session/find/$i.cpp"; done
! passes && grep -q 'more than 25 .cpp files in src/session/find' "$toy/said" || failed "26 files in a room"
rm "$toy"/src/session/find/[0-9]*.cpp
rm "$toy/src/session/history/plain.cpp"
! passes && grep -q 'src/session/history has no .cpp file' "$toy/said" || failed "a room of the tables that is not there"
exit $((failures > 0))
