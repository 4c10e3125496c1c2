#include "session/history/saves.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "base/error_about.h"
#include "base/hash.h"
#include "base/line_diff.h"
#include "session/find/source_difference.h"

namespace kerlab::session {

namespace {

std::string text_of(const Database& database, const std::string& hash) {
  if (auto text = database.source_text(hash)) return std::move(*text);
  throw ErrorAbout<Error, AboutDatabase>(
      fmt::format("database {}: the text {} of a save is missing", database.path().string(), hash));
}

/// As the two sources that source_difference compares: the variant's own file, and all others as its headers.
SourceBundle as_bundle(const Database& database, const Save& save) {
  SourceBundle bundle;
  for (const SavedFile& file : save.files) {
    std::string text = text_of(database, file.hash);
    if (file.name == save.variant + ".cu") {
      bundle.path = file.name;
      bundle.text = std::move(text);
    } else {
      bundle.headers.push_back({file.name, std::move(text)});
    }
  }
  return bundle;
}

/// Lines of a unified diff that begin with the sign, but for the names of files.
std::int64_t count_lines(const std::string& difference, char sign) {
  const std::string name = std::string(3, sign) + " ";
  std::istringstream lines(difference);
  std::int64_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.starts_with(sign) && !line.starts_with(name) ? 1 : 0;
  return count;
}

bool is_meant(const Save& save, const std::string& family, const std::string& variant) {
  if (!variant.empty() && save.variant != variant) return false;
  std::error_code ignored;
  return family.empty() || save.family == family ||
         save.folder == std::filesystem::weakly_canonical(family, ignored).string();
}

}  // namespace

std::int64_t keep_save(Database& database, const KernelFiles& files, Save save) {
  save.folder = files.folder.string();
  std::vector<std::string> texts;
  for (const KernelFile& file : files.own) {
    save.files.push_back({file.name, digest(file.text)});
    texts.push_back(file.text);
  }
  if (const auto newest = database.newest_save(save.folder, save.variant))
    if (newest->files == save.files) return newest->id;
  database.put(save, texts);
  return save.id;
}

std::vector<SaveRow> save_rows(const Database& database, const std::string& family, const std::string& variant) {
  std::map<std::pair<std::string, std::string>, Save> newest;
  std::vector<SaveRow> rows;
  for (Save& save : database.saves("")) {
    if (!is_meant(save, family, variant)) continue;
    Save& before = newest[{save.folder, save.variant}];
    SaveRow& row = rows.emplace_back();
    if (before.id > 0) {
      const std::string difference = save_difference(database, before, save);
      row.before = before.id;
      row.added = count_lines(difference, '+');
      row.removed = count_lines(difference, '-');
    }
    before = save;
    row.save = std::move(save);
  }
  return rows;
}

Save find_save(const Database& database, std::int64_t number) {
  if (auto save = database.save(number)) return std::move(*save);
  throw UsageError(
      fmt::format("save {}: there is no such save in {}; kerlab history lists them", number, database.path().string()));
}

std::string save_difference(const Database& database, const std::optional<Save>& before, const Save& after) {
  const SourceBundle left = before ? as_bundle(database, *before) : SourceBundle{};
  const SourceBundle right = as_bundle(database, after);
  const std::string mark = before ? fmt::format(" (save {})", before->id) : " (nothing)";
  const std::string file = after.variant + ".cu";
  return source_difference(left, right, {file + mark, fmt::format("{} (save {})", file, after.id), mark});
}

}  // namespace kerlab::session
