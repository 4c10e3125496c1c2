#pragma once
// Enums whose values have words, to print and to store: a list of them in the order of the values.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace kerlab {

template <typename Words, typename Enum>
constexpr std::string_view word_of(const Words& words, Enum value) {
  return words.at(static_cast<std::size_t>(value));
}

/// None: there is no such word.
template <typename Enum, typename Words>
constexpr std::optional<Enum> value_of(const Words& words, std::string_view word) {
  const auto at = std::ranges::find(words, word);
  if (at == words.end()) return std::nullopt;
  return static_cast<Enum>(at - words.begin());
}

}  // namespace kerlab
