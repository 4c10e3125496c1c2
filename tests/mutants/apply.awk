# awk -v folder=FOLDER -f apply.awk PATCH: applies a unified diff to the files below FOLDER, as `patch -p1 -F0` does
# (which a bare Debian has not): lines may have moved, but all of a hunk's must be there. Exit code 1: they are not.
# awk -v folder=FOLDER -v tries=1 -f apply.awk PATCH...: whether each of them applies, changing nothing.
function load(name) {
  count = moved = 0
  while ((getline line < name) > 0) lines[++count] = line
  close(name)
}

function save(name, i) {
  for (i = 1; i <= count; ++i) print lines[i] > name
  close(name)
}

function found_at(first, i) {
  for (i = 1; i <= old_count; ++i) if (lines[first + i - 1] != old[i]) return 0
  return first >= 1 && first + old_count - 1 <= count
}

# Replaces the old lines of the hunk by the new ones, at the nearest place where they stand.
function replace(distance, at, i) {
  if (!in_hunk) return
  in_hunk = 0
  for (distance = 0; distance <= count; ++distance) {
    if (found_at(at = begin + moved + distance) || found_at(at = begin + moved - distance)) break
  }
  if (distance > count) {
    print (tries ? patch ": " : "") file ": what the patch changes near line " begin " is not there" > "/dev/stderr"
    failed = 1
    if (!tries) exit 1
    file = ""
    return
  }
  if (new_count > old_count)
    for (i = count; i >= at + old_count; --i) lines[i + new_count - old_count] = lines[i]
  else
    for (i = at + old_count; i <= count; ++i) lines[i + new_count - old_count] = lines[i]
  for (i = 1; i <= new_count; ++i) lines[at + i - 1] = new[i]
  count += new_count - old_count
  moved = at - begin + new_count - old_count
  ++hunks
}

function finish() {
  replace()
  if (file != "" && !failed && !tries) save(file)
}

function end_patch() {
  finish()
  file = ""
  if (hunks || patch == "") return
  if (tries) print patch " changes nothing" > "/dev/stderr"
  failed = 1
}

FNR == 1 { end_patch(); patch = FILENAME; hunks = 0 }
/^--- a\// { finish(); file = ""; next }
/^\+\+\+ b\// { file = folder "/" substr($2, 3); load(file); next }
file == "" { next }
/^@@ / {
  replace()
  split($2, place, ",")
  begin = -place[1]
  in_hunk = 1
  old_count = new_count = 0
  next
}
in_hunk && /^[ -]/ { old[++old_count] = substr($0, 2) }
in_hunk && /^[ +]/ { new[++new_count] = substr($0, 2) }
END {
  if (failed && !tries) exit 1
  end_patch()
  exit failed
}
