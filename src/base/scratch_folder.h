#pragma once
// A folder of its own below the system's temporary one.

#include <filesystem>
#include <string>

namespace kerlab {

/// Made when constructed; its end removes it with all that is in it.
class ScratchFolder {
 public:
  /// "kerlab-demo": the folder's name begins so. Throws Error.
  explicit ScratchFolder(const std::string& name);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kerlab
