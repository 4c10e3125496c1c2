#pragma once
// Of access/load.hpp: how many numbers a vector type has.
#include <array>
#include <cstddef>

namespace tiles {

template <class Vector>
inline constexpr std::size_t width = sizeof(Vector) / sizeof(float);
template <class Vector>
using Numbers = std::array<float, width<Vector>>;

}  // namespace tiles
