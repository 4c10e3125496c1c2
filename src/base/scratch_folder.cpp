#include "base/scratch_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include "base/error.h"

namespace kerlab {

ScratchFolder::ScratchFolder(const std::string& name) {
  std::string folder = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
  if (::mkdtemp(folder.data()) == nullptr)
    throw Error(fmt::format("{} cannot be made; TMPDIR names another folder", folder));
  path_ = folder;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace kerlab
