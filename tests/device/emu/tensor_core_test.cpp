#include "device/emu/numeric/tensor_core.h"

#include <span>
#include <string>
#include <vector>

#include "catch.h"
#include "recordings.h"

namespace kerlab::emu {
namespace {

constexpr const numeric::Format* kOperandFormats[] = {&numeric::kF16, &numeric::kBf16, &numeric::kTf32, &numeric::kE4m3,
                                                      &numeric::kE5m2};

std::uint32_t element(const Recording& recording, const RecordedCase& one, int row, int column) {
  const numeric::Format& format = *kOperandFormats[recording.format];
  const auto k = static_cast<std::size_t>(recording.k);
  const std::span<const std::uint32_t> a(one.a.data() + static_cast<std::size_t>(row) * k, k);
  std::vector<std::uint32_t> b(k);
  for (std::size_t i = 0; i < k; ++i) b[i] = one.b[i * 8 + static_cast<std::size_t>(column)];
  const std::uint32_t c = one.c[static_cast<std::size_t>(row * 8 + column)];
  return static_cast<std::uint32_t>(
      recording.wgmma
          ? numeric::wgmma_element(format, format, a, b, c)
          : numeric::mma_element(format, format, recording.f32_accumulator ? numeric::kF32 : numeric::kF16, a, b, c));
}

TEST_CASE("the tensor-core rule gives every bit that an H200 gave", "[tensor_core]") {
  long outputs = 0;
  for (const Recording& recording : recordings()) {
    long wrong = 0, zeros = 0;
    std::string first;
    for (std::size_t n = 0; n < recording.cases.size(); ++n) {
      const RecordedCase& one = recording.cases[n];
      for (int i = 0; i < recording.m * 8; ++i) {
        const std::uint32_t got = element(recording, one, i / 8, i % 8), expected = one.d[static_cast<std::size_t>(i)];
        ++outputs;
        zeros += (expected & (recording.f32_accumulator ? 0x7fffffff : 0x7fff)) == 0;
        if (got == expected) continue;
        if (wrong++ == 0) {
          first = "case " + std::to_string(n) + " element " + std::to_string(i) + ": " + std::to_string(got) +
                  " instead of " + std::to_string(expected);
        }
      }
    }
    INFO(recording.name << ": " << first << "; zeros: " << zeros);
    CHECK(wrong == 0);
  }
  CHECK(outputs >= 270000);
}

}  // namespace
}  // namespace kerlab::emu
