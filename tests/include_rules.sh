#!/bin/sh
# Greps the includes of src/ against the tables of docs/architecture.md: who may include whom (direct edges), module by
# module, and room by room within a module that has rooms; and which third-party header may appear where. A file of
# src/<module> opens its module's namespace and no other, and src/base/modules.h gives each module sight of those that
# it may include. Outside plan and device nobody compares kinds of devices. Prints every offence as file:line and fails if there is one.
cd -- "${1:?usage: include_rules.sh ROOT}" || exit 1
find src -name '*.h' -o -name '*.cpp' | sort | xargs awk '
# The names between backquotes, with a space before and behind each.
function names(cell,    list) {
  list = " "
  while (match(cell, /`[^`]+`/)) {
    list = list substr(cell, RSTART + 1, RLENGTH - 2) " "
    cell = substr(cell, RSTART + RLENGTH)
  }
  return list
}
BEGIN {
  page = "docs/architecture.md"
  while ((getline line < page) > 0) {
    n = split(line, cell, "|")
    kind = cell[2] ~ /^ (module|room) $/ ? cell[2] : line ~ /^[|]/ ? kind : ""
    if (n != 5 || kind == "") continue
    rows = split(names(cell[2]), who, " ")
    for (i = 1; i <= rows; i++)
      if (kind ~ /module/) may[who[i]] = names(cell[4])
      else {
        room[who[i]] = names(cell[4])
        sub(/\/.*/, "", who[i])
        has_rooms[who[i]] = 1
      }
  }

  # What base/modules.h lets each namespace see.
  header = "src/base/modules.h"
  while ((getline line < header) > 0)
    while (match(line, /(using )?namespace [a-z]+/)) {
      word = substr(line, RSTART, RLENGTH)
      line = substr(line, RSTART + RLENGTH)
      if (sub(/^using namespace /, "", word)) sees[within] = sees[within] word " "
      else {
        sub(/^namespace /, "", word)
        within = word
        if (!(within in sees)) sees[within] = " "
      }
    }
  close(header)

  # Third-party headers that have one home; the rest (fmt, POSIX, the standard library) may go anywhere.
  home["^toml\\+\\+/"] = "^src/(spec|device/script)/|^src/device/emu/emu_device_profile[.]cpp$|^src/model/"
  home["^nlohmann/"] = "^src/base/(archive|json_reader)[.]h$|^src/report/form/json[.]cpp$|^src/db/"
  home["^CLI/"] = "^src/cli/"
  home["^(SQLiteCpp/|sqlite3)"] = "^src/db/"
  home["^zlib"] = "^src/base/gunzip[.]cpp$"
  home["^xxhash"] = "^src/base/hash[.]cpp$"
  home["^cuda"] = "^src/(device/cuda|vendor)/"
  home["^histedit"] = "^src/cli/lab/line_editor[.]cpp$"
  home["^nvrtc"] = "^src/compile/"
}
function offence(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; bad = 1 }
FNR == 1 {
  folder = FILENAME
  sub(/^src\//, "", folder)
  module = folder
  sub(/\/.*/, "", module)
  if (folder != module) sub(/\/[^\/]*$/, "", folder)
  if (!(module in may)) offence("folder src/" module " is not in the module table of " page)
  else if (module in has_rooms && !(folder in room)) offence("folder src/" folder " is not in the room table of " page)
  if (FILENAME ~ /[.]cpp$/ && ++count[folder] == 26)
    offence("more than 25 .cpp files in src/" folder ": a folder is to be seen at a glance, make two")
  files++
  space = "kerlab::" module
  if (module == "base") space = "kerlab"
  if (folder ~ /^device\/emu/) space = "kerlab::emu"
  if (folder ~ /^device\/emu\/ptx/) space = "kerlab::ptx"
}
/^namespace kerlab[: ]/ && FILENAME != "src/base/modules.h" && index($2 "::", space "::") != 1 {
  if (space == "kerlab::emu" && $2 == "kerlab::ptx") next  # declares an instruction; `ptx` knows nothing of `emu`
  offence("namespace " $2 " in a file of src/" folder ": open " space)
}
# A kind gives words to print and store; the list of fields names its last value for the archive.
(/DeviceKind::/ || /device[a-z_()]*[.](info\(\)[.])?kind *[!=]=/ || /device_kind *[!=]= *"/) &&
module != "plan" && module != "device" && !/a[(]"kind", v[.]kind, DeviceKind::script[)]/ {
  offence("what the device can do decides, not its kind: ask for one of plan/device_info.h\047s capabilities")
}
match($0, /^[ \t]*#[ \t]*include[ \t]*["<][^">]+/) {
  header = substr($0, RSTART, RLENGTH)
  quoted = header ~ /"/
  sub(/.*["<]/, "", header)
  if (quoted) {
    to = header
    sub(/\/.*/, "", to)
    to_folder = header
    sub(/\/[^\/]*$/, "", to_folder)
    if (header !~ /\//) offence("include \"" header "\": write it from src/, as \"module/file.h\"")
    else if (to != module && to != "base" && index(may[module], " " to " ") == 0)
      offence(module " may not include " to " (\"" header "\")")
    else if (to == module && module in has_rooms && to_folder != folder && index(room[folder], " " to_folder " ") == 0)
      offence(folder " may not include " to_folder " (\"" header "\")")
  } else
    for (pattern in home)
      if (header ~ pattern && FILENAME !~ home[pattern]) offence("<" header "> belongs elsewhere: " home[pattern])
}
END {
  if (!files) { print "no source files found"; bad = 1 }
  for (module in may) {
    if (module == "base" || module ~ /[.]/) continue
    n = split(may[module], allowed, " ")
    for (i = 1; i <= n; i++)
      if (allowed[i] != "common" && index(sees[module], " " allowed[i] " ") == 0) {
        print "src/base/modules.h: namespace " module " does not see " allowed[i] ", which " page " allows"; bad = 1
      }
    n = split(sees[module], seen, " ")
    for (i = 1; i <= n; i++)
      if (index(may[module], " " seen[i] " ") == 0) {
        print "src/base/modules.h: namespace " module " sees " seen[i] ", which " page " does not allow"; bad = 1
      }
  }
  command = "find tests/[a-z]* -type d 2>/dev/null"
  while ((command | getline folder) > 0) {
    sub(/^tests\//, "", folder)
    module = folder
    sub(/\/.*/, "", module)
    if (module in has_rooms && folder != module && !(folder in room)) {
      print "tests/" folder ": tests mirror src, and " page " has no room of that name"; bad = 1
    }
  }
  for (folder in room)
    if (!(folder in count)) { print page ": src/" folder " has no .cpp file"; bad = 1 }
  exit bad
}'
