#pragma once
// Where the wrong elements of an output lie: a small picture, and a sentence that reads it.

#include <cstdint>
#include <string>
#include <vector>

#include "plan/problem_plan.h"

namespace kerlab::verify {

/// Elements that were looked at, and those of them that are wrong, over the last two dimensions of an output; others
/// are folded onto these.
class ErrorMap {
 public:
  explicit ErrorMap(const Tensor& output);

  void see(std::int64_t element, bool wrong);

  /// At most 16 lines of 48: '.' right, '#' mostly wrong, '+' some wrong, ' ' not looked at.
  [[nodiscard]] std::vector<std::string> picture() const;
  /// "a character is 8 x 16 elements"; of 3 matrices: "..., of 3 matrices one above the other".
  [[nodiscard]] std::string scale() const;
  /// "last column only", "tile-aligned: every element of the 64 x 64 tiles (1, 2), (1, 3)"; empty: nothing is wrong.
  [[nodiscard]] std::string sentence() const;

 private:
  struct Counts {
    std::int64_t seen = 0, wrong = 0;
  };
  [[nodiscard]] Counts within(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) const;
  [[nodiscard]] std::string of_tiles() const;
  [[nodiscard]] std::string of_tiles(std::int64_t height, std::int64_t width) const;
  struct Region {
    std::string text;
    bool told = false;  ///< which elements they are: neither scattered, nor only the first rows of many named
    bool rectangle = false;
  };
  [[nodiscard]] Region of_rows_and_columns() const;

  std::int64_t rows_ = 1, columns_ = 1, matrices_ = 1;
  std::int64_t matrix_ = 1;  ///< elements of a matrix; of huge ones only the first rows are kept
  bool line_ = false;        ///< one dimension: laid out in lines for the picture
  std::int64_t cell_rows_ = 1, cell_columns_ = 1;
  std::vector<bool> seen_, wrong_;
  std::vector<Counts> by_row_, by_column_;
  Counts all_;
};

/// The range or the rhythm ("8..15 of every 16") that indices below `extent` nearly fill: the few that are missing may
/// be right by chance. The indices themselves where they have neither.
std::vector<std::int64_t> completed(const std::vector<std::int64_t>& indices, std::int64_t extent);

struct IndexWords {
  std::string text;       ///< empty: all of them
  bool periodic = false;  ///< some of every so many
  bool complete = true;   ///< else only the first of many are named
};
/// Indices below `extent` in words: "last column", "columns 8..15 of every 16", "columns from 4092 on", "rows 3, 17,
/// 90". `name`: "row".
IndexWords describe_indices(const std::vector<std::int64_t>& indices, std::int64_t extent, const std::string& name);

}  // namespace kerlab::verify
