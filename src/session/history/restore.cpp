// Writing a save back: only plain files below the kernel's folder, whatever the database says.

#include <unistd.h>

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "session/history/saves.h"

namespace kerlab::session {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const Save& save, const std::string& why) {
  throw Error(fmt::format("save {} is not restored: {}", save.id, why));
}

/// A database may come from others: no name may lead anywhere but to a file of the folder.
void require_inside(const Save& save, const fs::path& folder, const std::string& name) {
  const fs::path relative(name);
  const bool plain = std::ranges::none_of(relative, [](const fs::path& part) {
    return part.empty() || part.string().starts_with('.');  // "..", hidden files, a separator at the end
  });
  if (name.empty() || relative.is_absolute() || !plain || name.find('\0') != std::string::npos)
    refuse(save, fmt::format("'{}' is no file of a kernel's folder", name));
  const fs::path parent = fs::weakly_canonical((folder / relative).parent_path());
  const fs::path way = parent.lexically_relative(folder);
  if (way.empty() || *way.begin() == "..")
    refuse(save, fmt::format("{} leads out of {} by a link", name, folder.string()));
}

void require_writable(const Save& save, const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    refuse(save, fmt::format("{} is a link, or no plain file, and would be replaced by one", file.string()));
  if (fs::exists(status) && ::access(file.c_str(), W_OK) != 0)
    refuse(save, fmt::format("{} cannot be written", file.string()));
  fs::path folder = file.parent_path();
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  if (::access(folder.c_str(), W_OK) != 0) refuse(save, fmt::format("{} cannot be written to", folder.string()));
}

/// That it is still there and still a kernel's, as far as can be seen.
fs::path kernel_folder(const Save& save) {
  std::error_code error;
  const fs::path folder = fs::canonical(save.folder, error);
  if (error || !fs::is_directory(folder, error))
    refuse(save,
           fmt::format("its folder {} is gone; kerlab restore {} --to DIR writes it to another", save.folder, save.id));
  if (folder != fs::path(save.folder)) refuse(save, fmt::format("its folder {} is now a link", save.folder));
  for (const std::string& name : {std::string("family.toml"), save.variant + ".toml", save.variant + ".cu"})
    if (fs::is_regular_file(folder / name, error)) return folder;
  refuse(save, fmt::format("{} holds no kernel any more; kerlab restore {} --to DIR writes it to another folder",
                           save.folder, save.id));
}

/// That nothing is overwritten there.
fs::path new_folder(const fs::path& to) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(to, error)) && (!fs::is_directory(to, error) || !fs::is_empty(to, error)))
    throw UsageError(fmt::format("--to {}: there is something already; name a new or an empty folder", to.string()));
  return fs::weakly_canonical(fs::absolute(to));
}

std::optional<std::string> present_text(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  return read_text(file);
}

/// What is there now, of every file that the save or the newest one has.
KernelFiles present_state(const Database& database, const RestorePlan& plan) {
  std::vector<std::string> names;
  for (const FileToRestore& file : plan.files) names.push_back(file.name);
  if (const auto newest = database.newest_save(plan.save.folder, plan.save.variant))
    for (const SavedFile& file : newest->files) names.push_back(file.name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  KernelFiles present;
  present.folder = plan.folder;
  for (const std::string& name : names) {
    require_inside(plan.save, plan.folder, name);
    if (auto text = present_text(plan.folder / name)) present.own.push_back({name, std::move(*text)});
  }
  return present;
}

/// A save that holds all of them as they are; 0: there is none.
std::int64_t holder(const Database& database, const RestorePlan& plan, const KernelFiles& present) {
  std::vector<SavedFile> files;
  for (const KernelFile& file : present.own) files.push_back({file.name, digest(file.text)});
  std::int64_t number = 0;
  for (const Save& save : database.saves(plan.save.folder))
    if (save.variant == plan.save.variant && std::ranges::all_of(files, [&](const SavedFile& file) {
          return std::ranges::find(save.files, file) != save.files.end();
        }))
      number = save.id;
  return number;
}

/// The save that leads back.
std::int64_t keep_present(Database& database, const RestorePlan& plan) {
  const KernelFiles present = present_state(database, plan);
  if (const std::int64_t back = holder(database, plan, present); back > 0) return back;
  Save save;
  save.family = plan.save.family;
  save.variant = plan.save.variant;
  save.verdict = "kept";
  save.message = fmt::format("as it was before save {} was restored", plan.save.id);
  return keep_save(database, present, std::move(save));
}

}  // namespace

bool RestorePlan::changes_nothing() const {
  return std::ranges::none_of(files, &FileToRestore::differs);
}

RestorePlan plan_restore(const Database& database, std::int64_t number, const fs::path& to) {
  RestorePlan plan;
  plan.save = find_save(database, number);
  plan.elsewhere = !to.empty();
  plan.folder = plan.elsewhere ? new_folder(to) : kernel_folder(plan.save);
  for (const SavedFile& file : plan.save.files) {
    require_inside(plan.save, plan.folder, file.name);
    const auto text = database.source_text(file.hash);
    if (!text) refuse(plan.save, fmt::format("the database has lost the text of {}", file.name));
    if (digest(*text) != file.hash) refuse(plan.save, fmt::format("the text of {} is not what was saved", file.name));
    const auto present = present_text(plan.folder / file.name);
    plan.files.push_back({file.name, *text, present != text, !present});
    if (plan.files.back().differs) require_writable(plan.save, plan.folder / file.name);
  }
  return plan;
}

std::int64_t restore(Database& database, const RestorePlan& plan) {
  const std::int64_t back = plan.elsewhere ? 0 : keep_present(database, plan);
  for (const FileToRestore& file : plan.files) {
    if (!file.differs) continue;
    std::filesystem::create_directories((plan.folder / file.name).parent_path());
    write_atomic(plan.folder / file.name, std::string_view(file.text));
  }
  return back;
}

}  // namespace kerlab::session
