#include "session/adopt/t1_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "session/adopt/t1_drafter.h"

namespace kerlab::session {
namespace {

/// A path that leads out of its folder, or anywhere else, is refused: a file from elsewhere may name /etc/passwd.
std::filesystem::path source_beside(const std::filesystem::path& file, const JsonNode& name) {
  const std::filesystem::path given = name.text();
  const std::filesystem::path normal = given.lexically_normal();
  if (given.empty() || given.is_absolute() || normal.empty() || *normal.begin() == "..")
    name.fail(fmt::format("'{}' is outside of this file's folder: put the source beside it", given.string()));
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(
      file.parent_path().empty() ? std::filesystem::path(".") : file.parent_path(), error);
  const std::filesystem::path real = std::filesystem::weakly_canonical(folder / normal, error);
  const auto [left, right] = std::mismatch(folder.begin(), folder.end(), real.begin(), real.end());
  if (left != folder.end() || !std::filesystem::is_regular_file(real, error))
    name.fail(fmt::format("there is no file '{}' in this file's folder", given.string()));
  return file.parent_path() / normal;
}

}  // namespace

T1File::T1File(const std::filesystem::path& file) : file_(file), text_(read_text(file)) {
  const JsonNode spec = JsonNode::parse(text_, file.string()).at("KernelSpecification");
  if (const auto language = spec.find("Language"); language && language->text() != "CUDA")
    language->fail(fmt::format("'{}': kerlab runs CUDA", language->text()));
  kernel_ = {source_beside(file, spec.at("KernelFile")), spec.at("KernelName").text()};
}

Draft T1File::draft(const CudaFile& source, const CudaKernel& kernel) const {
  return T1Drafter(JsonNode::parse(text_, file_.string()), source, kernel).make();
}

}  // namespace kerlab::session
