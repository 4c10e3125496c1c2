#pragma once
// Reads what tests/data/tensorcore-h200/pack.py wrote.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file.h"

#include "locations.h"
#include "modules.h"

namespace kerlab::emu {

struct RecordedCase {
  std::vector<std::uint32_t> a, b, c, d;  ///< bits; M x K, K x 8, M x 8, M x 8, row-major
};

struct Recording {
  std::string name;
  int format = 0;  ///< 0 f16, 1 bf16, 2 tf32, 3 e4m3, 4 e5m2
  bool f32_accumulator = true, wgmma = false;
  int m = 0, k = 0;
  std::vector<RecordedCase> cases;
};

class RecordingReader {
 public:
  explicit RecordingReader(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
    if (take(4) != 0x3143544b) throw std::runtime_error(file.string() + ": no recording");
    recording_.name = file.stem().string();
    recording_.format = static_cast<int>(take(1));
    recording_.f32_accumulator = take(1) != 0;
    recording_.wgmma = take(1) != 0;
    recording_.k = static_cast<int>(take(1));
    recording_.m = static_cast<int>(take(2));
    recording_.cases.resize(take(2));
    const int operand_bytes = recording_.format < 2 ? 2 : recording_.format == 2 ? 3 : 1;
    const int accumulator_bytes = recording_.f32_accumulator ? 4 : 2;
    for (RecordedCase& one : recording_.cases) {
      const bool has_c = take(1) != 0;
      // A tf32 is the upper end of a 32-bit register.
      const int shift = recording_.format == 2 ? 13 : 0;
      one.a = values(recording_.m * recording_.k, operand_bytes, shift);
      one.b = values(recording_.k * 8, operand_bytes, shift);
      one.c = has_c ? values(recording_.m * 8, accumulator_bytes, 0)
                    : std::vector<std::uint32_t>(static_cast<std::size_t>(recording_.m) * 8, 0);
      one.d = values(recording_.m * 8, accumulator_bytes, 0);
    }
  }
  [[nodiscard]] const Recording& recording() const { return recording_; }

 private:
  std::uint32_t take(int bytes) {
    std::uint32_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= std::uint32_t{static_cast<unsigned char>(bytes_.at(at_++))} << (8 * i);
    return value;
  }
  std::vector<std::uint32_t> values(int count, int bytes, int shift) {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(count));
    for (std::uint32_t& value : all) value = take(bytes) << shift;
    return all;
  }

  std::vector<char> bytes_;
  std::size_t at_ = 0;
  Recording recording_;
};

inline std::vector<Recording> recordings() {
  std::vector<Recording> all;
  for (const auto& entry : std::filesystem::directory_iterator(share_folder() / "tests" / "data" / "tensorcore-h200")) {
    if (entry.path().extension() == ".tc") all.push_back(RecordingReader(entry.path()).recording());
  }
  std::sort(all.begin(), all.end(), [](const Recording& x, const Recording& y) { return x.name < y.name; });
  return all;
}

}  // namespace kerlab::emu
