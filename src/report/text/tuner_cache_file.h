#pragma once
// A cache file of Kernel Tuner that grows while a kernel is tuned.

#include <filesystem>
#include <set>

#include "report/text/tuner_text.h"

namespace kerlab::report {

/// Each configuration is a line behind the last; until close() the file lacks its last two brackets, as Kernel Tuner's
/// own does while it tunes, which reads such a file as it is. What ends early leaves one that can be read.
class TunerCacheFile {
 public:
  /// A file that is there goes on, closed or not. Throws Error where it is another kernel's, or no such file.
  TunerCacheFile(std::filesystem::path file, const TunerSpace& space,
                 const std::vector<std::vector<TunerValue>>& listed);

  /// One that is in the file is not written again. False: it was.
  bool add(const TunerSpace& space, const TunerPoint& point);
  /// Makes it whole JSON.
  void close();
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  void go_on(const JsonValue::Object& head);

  std::filesystem::path file_;
  std::set<std::string> keys_;
};

}  // namespace kerlab::report
