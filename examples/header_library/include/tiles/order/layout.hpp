#pragma once
// The order in which places of a matrix are numbered.
#include <tiles/config.hpp>

#include TILES_STD(type_traits)
#include <cassert>
#include <limits>

#include "detail.hpp"

namespace tiles {

template <class Order>
struct Layout {
  static_assert(std::is_same_v<Order, row> || std::is_same_v<Order, col>);
  std::int32_t rows, cols;

  TILES_HD Place place(std::int32_t i) const {
    assert(i <= std::numeric_limits<std::int32_t>::max());
    if constexpr (cuda::std::is_same_v<Order, row>)
      return {i / cols, i % cols};
    else
      return {i % rows, i / rows};
  }
};

}  // namespace tiles
