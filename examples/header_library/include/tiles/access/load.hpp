#pragma once
// Reads a vector as numbers, through the read-only cache where the caller wants it.
#include <tiles/config.hpp>

#include <memory>
#include <vector>

#include "detail.hpp"

namespace tiles {

template <bool ReadOnly, class Vector>
TILES_HD Numbers<Vector> load(const Vector* from) {
  union {
    Vector vector;
    float numbers[width<Vector>];
  } both;
  if constexpr (ReadOnly)
    both.vector = __ldg(from);
  else
    both.vector = *from;
  Numbers<Vector> all{};
  for (std::size_t i = 0; i < width<Vector>; ++i) all[i] = both.numbers[i];
  return all;
}

}  // namespace tiles
