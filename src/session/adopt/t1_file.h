#pragma once
// A kernel with its space as T1 describes it (Kernel Tuner, BAT, KTT): JSON beside a CUDA source, expressions in
// Python's syntax.

#include <filesystem>
#include <string>

#include "session/adopt/draft.h"

namespace kerlab::session {

struct T1Kernel {
  std::filesystem::path source;  ///< in the JSON's folder or below it
  std::string kernel;
};

class T1File {
 public:
  /// Throws Error with the place of what is wrong; reads nothing but the file.
  explicit T1File(const std::filesystem::path& file);
  [[nodiscard]] const T1Kernel& kernel() const { return kernel_; }
  /// Of the source that it names. Throws Error with the place in the JSON, SpecError with that in the source.
  [[nodiscard]] Draft draft(const CudaFile& source, const CudaKernel& kernel) const;

 private:
  std::filesystem::path file_;
  std::string text_;
  T1Kernel kernel_;
};

}  // namespace kerlab::session
