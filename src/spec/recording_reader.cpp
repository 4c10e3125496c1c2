// The recordings of a family as they lie in its folder.
#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "spec/recordings.h"
#include "spec/toml/source_path.h"

namespace kerlab::spec {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 3;  // folders below that of the recordings

void reject_link(const fs::path& path) {
  std::error_code error;
  if (fs::is_symlink(path, error))
    throw SpecError({shown_path(path), 1, 1, {}}, "a link: a recording lies in the family's own folder");
}

/// The file that a key names, beside the manifest.
fs::path file_beside(const SpecTable& row, std::string_view key, const fs::path& folder) {
  const std::string text = row.text(key);
  const fs::path path(text);
  if (text.empty() || text.find('\0') != std::string::npos || path.filename() != path || text == "." || text == "..")
    row.fail(key, "the name of a file beside this one");
  reject_link(folder / path);
  return folder / path;
}

/// Of the files that are there.
void take_digest(RecordedFiles& files) {
  std::error_code error;
  if (!fs::is_regular_file(files.scale, error)) files.scale.clear();
  if (!fs::is_regular_file(files.value, error)) return;
  files.digest = digest(read_bytes(files.value));
  if (!files.scale.empty()) files.digest = digest(files.digest + digest(read_bytes(files.scale)));
}

Recording read_recording(const fs::path& folder, const Family& family) {
  const fs::path file = folder / kRecordingFile;
  reject_link(file);
  const TomlValue root = parse_toml(read_text(file), shown_path(file));
  const SpecTable top(root, "recording",
                      {"format", "family", "problem", "recipe", "seed", "inputs", "dtype", "dimensions", "flags",
                       "scalars", "input", "output"});
  if (top.integer("format") != kRecordingFormat)
    top.fail("format", fmt::format("this kerlab reads format {}", kRecordingFormat));
  if (const std::string of = top.text("family"); of != family.name)
    top.fail("family", fmt::format("a recording of '{}' in the folder of '{}'", of, family.name));
  Recording recording{top.text("problem"), top.text("recipe"), top.text("inputs"), folder, {}};
  for (const TomlValue& value : top.tables("output")) {
    const SpecTable row = SpecTable::named(value, "output", {"name", "file", "dtype", "stored", "shape", "scale"});
    Recording::Output output{row.identifier("name"), {file_beside(row, "file", folder), {}, {}}};
    if (row.has("scale")) output.files.scale = file_beside(row, "scale", folder);
    take_digest(output.files);
    recording.outputs.push_back(std::move(output));
  }
  return recording;
}

void collect(const fs::path& folder, int depth, Family& family) {
  std::vector<fs::path> folders;
  std::error_code error;
  if (fs::exists(folder / kRecordingFile, error)) {
    Recording read = read_recording(folder, family);
    for (const Recording& other : family.recordings)
      if (other.problem == read.problem && other.recipe == read.recipe)
        throw SpecError({shown_path(folder / kRecordingFile), 1, 1, {}},
                        fmt::format("{} with recipe '{}' is also recorded in {}", read.problem, read.recipe,
                                    shown_path(other.folder)));
    family.recordings.push_back(std::move(read));
  }
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (fs::is_directory(entry->path(), error)) folders.push_back(entry->path());
  std::sort(folders.begin(), folders.end());
  for (const fs::path& one : folders) {
    reject_link(one);
    if (depth < kDeepest) collect(one, depth + 1, family);
  }
}

}  // namespace

void read_recordings(const SpecTable& table, Family& family) {
  const bool any = std::ranges::any_of(family.references, &ReferenceDecl::recorded);
  if (!any && table.has("recordings")) table.fail("recordings", "no [[reference]] says recorded = true");
  if (!any) return;
  family.accuracy.against_recordings = true;
  const std::string text = table.text("recordings", "recorded");
  const fs::path relative = fs::path(text).lexically_normal();
  if (text.find('\0') != std::string::npos || relative.empty() || relative.is_absolute() || *relative.begin() == "..")
    table.fail("recordings", "a folder beside family.toml");
  fs::path folder = family.folder;
  for (const fs::path& part : relative) {
    folder /= part;
    reject_link(folder);
  }
  family.recorded = family.folder / relative;
  std::error_code error;
  if (fs::is_directory(family.recorded, error)) collect(family.recorded, 0, family);
}

}  // namespace kerlab::spec
