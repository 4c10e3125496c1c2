#pragma once
// The kernels that the guided tour breaks and slows on purpose.

#include <filesystem>
#include <string>

#include "base/modules.h"

namespace kerlab::cli {

/// A folder of its own below the system's temporary one; its end removes it with all that is in it.
class DemoFolder {
 public:
  DemoFolder();
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;
  ~DemoFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// One line of a file becomes another; both are told, as a diff does. Throws Error when the file has no such line.
std::string replace_line(const std::filesystem::path& file, const std::string& part, const std::string& by);

/// The first of "my_first", "my_first_2", ... in `parent` that does not exist.
std::filesystem::path free_folder(const std::filesystem::path& wanted);

}  // namespace kerlab::cli
