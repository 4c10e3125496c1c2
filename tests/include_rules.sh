#!/bin/sh
# Greps the includes of src/ against the module table of the design: who may include whom (direct edges), and which
# third-party header may appear where. Prints every offence as file:line and fails if there is one.
cd -- "${1:?usage: include_rules.sh ROOT}" || exit 1
find src -name '*.h' -o -name '*.cpp' | sort | xargs awk '
BEGIN {
  # Everybody may include base and its own folder.
  may["base"] = may["stats"] = may["plan"] = ""
  may["spec"] = may["compile"] = may["device"] = "plan"
  may["vendor"] = "plan device"
  may["verify"] = may["measure"] = "plan device stats"
  may["trial"] = "plan stats"
  may["worker"] = "device vendor verify measure trial plan stats"
  may["search"] = "spec stats"
  may["db"] = "trial"
  may["model"] = "plan spec stats"
  may["session"] = "stats plan spec compile device vendor verify measure trial worker search db model"
  may["report"] = "trial stats model"
  may["cli"] = "session report db"
  may["main.cpp"] = "cli compile worker"  # the child processes are told apart before any option is parsed
  # The structs that kernels/common/lab.cu and the host agree on.
  for (m in may) if (m ~ /^(device|verify|measure|worker)$/) may[m] = may[m] " common"

  # Third-party headers that have one home; the rest (fmt, POSIX, the standard library) may go anywhere.
  home["^toml\\+\\+/"] = "^src/(spec|device/script)/|^src/device/emu/emu_device_profile[.]cpp$|^src/model/"
  home["^nlohmann/"] = "^src/(worker|compile)/messages[.]cpp$|^src/report/json[.]cpp$|^src/db/"
  home["^CLI/"] = "^src/cli/"
  home["^(SQLiteCpp/|sqlite3)"] = "^src/db/"
  home["^xxhash"] = "^src/base/hash[.]cpp$"
  home["^cuda"] = "^src/(device/cuda|vendor)/"
  home["^histedit"] = "^src/cli/line_editor[.]cpp$"
  home["^nvrtc"] = "^src/compile/"
}
function offence(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; bad = 1 }
FNR == 1 {
  split(FILENAME, part, "/")
  module = part[2]
  if (!(module in may)) offence("folder src/" module " is not in the module table")
  files++
}
match($0, /^[ \t]*#[ \t]*include[ \t]*["<][^">]+/) {
  header = substr($0, RSTART, RLENGTH)
  quoted = header ~ /"/
  sub(/.*["<]/, "", header)
  if (quoted) {
    to = header
    sub(/\/.*/, "", to)
    if (header !~ /\//) offence("include \"" header "\": write it from src/, as \"module/file.h\"")
    else if (to != module && to != "base" && index(" " may[module] " ", " " to " ") == 0)
      offence(module " may not include " to " (\"" header "\")")
  } else
    for (pattern in home)
      if (header ~ pattern && FILENAME !~ home[pattern]) offence("<" header "> belongs elsewhere: " home[pattern])
}
END {
  if (!files) { print "no source files found"; bad = 1 }
  exit bad
}'
