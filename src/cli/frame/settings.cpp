#include "cli/frame/settings.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "base/error.h"
#include "db/database.h"
#include "session/find/user_file.h"

namespace kerlab::cli {

namespace {

namespace fs = std::filesystem;

/// The value of a variable; empty: unset, or set to nothing.
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

ProjectFile project_here() {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path file = error ? fs::path() : find_project_file(here);
  return file.empty() ? ProjectFile{} : read_project_file(file);
}

Setting device_setting(const ProjectFile& project) {
  if (const std::string value = variable("KERLAB_DEVICE"); !value.empty()) return {value, "KERLAB_DEVICE"};
  if (project.device) return {project.device->value, project.device->from};
  return {"auto", "default"};
}

Setting database_setting(const ProjectFile& project) {
  if (!variable("KERLAB_DB").empty()) return {Database::default_path().string(), "KERLAB_DB"};
  if (project.db) return {project.db->value, project.db->from};
  return {"", "default"};  // found when it is needed: HOME may be missing
}

/// What a variable lists, separated by ':', once `require` has looked at each.
std::vector<Setting> listed_settings(const char* name, void (*require)(const std::string&, const std::string&)) {
  std::vector<Setting> settings;
  std::istringstream listed(variable(name));
  for (std::string one; std::getline(listed, one, ':');) {
    if (one.empty()) continue;
    require(one, name);
    settings.push_back({one, name});
  }
  return settings;
}

std::vector<Setting> include_settings() {
  std::vector<Setting> settings = listed_settings("KERLAB_INCLUDE", require_include_folder);
  for (const ProjectValue& folder : read_user_includes(user_file_path()))
    settings.push_back({folder.value, folder.from});
  return settings;
}

std::vector<Setting> kernel_settings(const ProjectFile& project) {
  std::vector<Setting> settings = listed_settings("KERLAB_KERNELS", require_kernel_folder);
  for (const ProjectValue& folder : project.kernels) {
    require_kernel_folder(folder.value, folder.from);
    settings.push_back({folder.value, folder.from});
  }
  return settings;
}

}  // namespace

void require_library_file(const std::string& file, const std::string& from) {
  std::error_code error;
  if (fs::is_regular_file(file, error)) return;
  throw UsageError(fmt::format("{}: there is no file {}; it takes the shared library of a plug-in (docs/libraries.md)",
                               from, file.empty() ? "''" : file));
}

void require_include_folder(const std::string& folder, const std::string& from) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  throw UsageError(fmt::format("{}: there is no folder {}; it takes one of headers, as $CUTLASS/include", from,
                               folder.empty() ? "''" : folder));
}

void require_kernel_folder(const std::string& folder, const std::string& from) {
  std::error_code error;
  const auto is_family = [&](const fs::path& path) { return fs::is_regular_file(path / "family.toml", error); };
  if (!fs::is_directory(folder, error))
    throw UsageError(fmt::format("{}: there is no folder {}", from, folder.empty() ? "''" : folder));
  if (!is_family(folder)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (is_family(entry.path())) return;
  throw UsageError(
      fmt::format("{}: {} is a family, not a folder of families: name the folder that it lies in, or the family in "
                  "place of its name, as in kerlab list {}",
                  from, folder, folder));
}

Settings read_settings() {
  ProjectFile project = project_here();
  Settings settings;
  settings.file = project.path;
  settings.device = device_setting(project);
  settings.database = database_setting(project);
  settings.kernels = kernel_settings(project);
  for (const ProjectValue& folder : project.suites) settings.suites.push_back({folder.value, folder.from});
  settings.libraries = listed_settings("KERLAB_LIBRARIES", require_library_file);
  settings.includes = include_settings();
  settings.margins = std::move(project.margins);
  settings.margins_from = std::move(project.margins_from);
  return settings;
}

}  // namespace kerlab::cli
