#include "verify/recorded_values.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/hash.h"

namespace kerlab::verify {
namespace {

void require_numbers(const NpyArray& array, const Tensor& output, const std::filesystem::path& file) {
  const bool complex = array.header.type == NpyType::c8 || array.header.type == NpyType::c16;
  const std::int64_t numbers = array.header.elements() * (complex ? 2 : 1);
  if (numbers != output.elements())
    throw Error(fmt::format("{}: holds {} numbers, '{}' {}", file.string(), numbers, output.name, output.elements()));
}

}  // namespace

RecordedValues::RecordedValues(const RecordedFiles& files, const Tensor& output)
    : value_(read_npy(files.value)), has_scale_(!files.scale.empty()) {
  require_numbers(value_, output, files.value);
  std::string read = digest(value_.file);
  if (has_scale_) {
    scale_ = read_npy(files.scale);
    require_numbers(scale_, output, files.scale);
    read = digest(read + digest(scale_.file));
  }
  if (read != files.digest)
    throw Error(fmt::format("{}: has changed since the session began: run it again", files.value.string()));
}

}  // namespace kerlab::verify
