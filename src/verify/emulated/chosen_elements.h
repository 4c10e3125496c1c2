#pragma once
// Which elements are compared where a device executes only some blocks, or the reference takes long.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kerlab::verify {

/// Elements side by side.
struct Stride {
  std::int64_t first = 0, count = 0;
};

/// Every element when there are few enough, else that many, evenly spread with a pseudo-random offset in each step.
[[nodiscard]] std::vector<std::int64_t> thinned(const std::vector<Stride>& strides, std::size_t most);
/// The same of elements in a list.
[[nodiscard]] std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& elements, std::size_t most);

struct MostRows {
  std::size_t rows = 0, elements = 0;
};

/// Rows are `width` elements that a reference computes at once. Of `most.rows` rows, evenly spread, the first and the
/// last of `strides` (rising, disjoint) among them, every element that lies in `strides`; of long rows some.
[[nodiscard]] std::vector<std::int64_t> whole_rows(const std::vector<Stride>& strides, std::int64_t width,
                                                   MostRows most);

}  // namespace kerlab::verify
