#include "compile/project_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"

namespace kerlab::compile {

namespace fs = std::filesystem;

fs::path project_of(const fs::path& source) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(source).parent_path(), error);
  for (fs::path above = folder; above.has_relative_path(); above = above.parent_path())
    if (fs::exists(above / ".git", error)) return above;
  return folder.parent_path().has_relative_path() ? folder.parent_path() : folder;
}

bool is_below(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  // An empty name is the current folder, which fs::absolute does not know.
  const fs::path whole = fs::weakly_canonical(fs::absolute(folder.empty() ? "." : folder), error);
  return std::mismatch(whole.begin(), whole.end(), file.begin(), file.end()).first == whole.end();
}

void require_inside(const fs::path& file) {
  std::error_code error;
  if (!fs::is_symlink(file, error) || is_below(fs::weakly_canonical(fs::absolute(file), error), project_of(file)))
    return;
  throw Error(
      fmt::format("{}: is a link that leads out of this kernel's project; put the file itself there", file.string()));
}

}  // namespace kerlab::compile
