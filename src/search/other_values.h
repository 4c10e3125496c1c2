#pragma once
// Values that a parameter has in none of the best configurations: where a search may have stopped looking too early.

#include <array>
#include <optional>

#include "search/search_space.h"

namespace kerlab::search {

class OtherValues {
 public:
  /// A value of a parameter, as rows of the space have it.
  struct Value {
    std::size_t column = 0;
    std::uint8_t cell = 0;
  };

  OtherValues(const SearchSpace& space, const std::vector<std::size_t>& best);
  void tried(std::size_t candidate);
  /// Only values of candidates that are offered are drawn.
  void offered(std::size_t candidate);
  /// A parameter, each as likely; of its values rather those that few of the tried have. None: there is none.
  [[nodiscard]] std::optional<Value> draw(std::uint64_t& random) const;

 private:
  struct Column {
    std::size_t column = 0;
    std::array<std::uint32_t, 256> tried{};
    std::array<bool, 256> of_best{}, offered{};
  };
  const SearchSpace& space_;
  std::vector<Column> columns_;  ///< of parameters
};

}  // namespace kerlab::search
