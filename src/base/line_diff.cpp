#include "base/line_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/split.h"

namespace kerlab {
namespace {

constexpr std::size_t kContext = 3;

/// A line with its sign, and how many lines of each text lie before it.
struct Edit {
  char sign = ' ';
  std::string_view line;
  std::size_t before = 0, after = 0;
};

/// By the longest common subsequence; of equal choices the removals come first.
std::vector<Edit> edits(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::size_t begin = 0, end_a = a.size(), end_b = b.size();
  while (begin < std::min(end_a, end_b) && a[begin] == b[begin]) ++begin;
  while (end_a > begin && end_b > begin && a[end_a - 1] == b[end_b - 1]) --end_a, --end_b;
  const std::size_t rows = end_a - begin, columns = end_b - begin;
  // common[i][j]: lines in common of a from i and b from j on, within the part that differs.
  std::vector<std::vector<std::uint32_t>> common(rows + 1, std::vector<std::uint32_t>(columns + 1));
  for (std::size_t i = rows; i-- > 0;)
    for (std::size_t j = columns; j-- > 0;)
      common[i][j] =
          a[begin + i] == b[begin + j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<Edit> result;
  std::size_t i = 0, j = 0;
  for (; i < begin; ++i) result.push_back({' ', a[i], i, i});
  for (j = i; i < end_a || j < end_b;) {
    const bool both = i < end_a && j < end_b;
    if (both && a[i] == b[j]) {
      result.push_back({' ', a[i], i, j});
      ++i, ++j;
    } else if (i < end_a && (!both || common[i - begin + 1][j - begin] >= common[i - begin][j - begin + 1])) {
      result.push_back({'-', a[i], i, j});
      ++i;
    } else {
      result.push_back({'+', b[j], i, j});
      ++j;
    }
  }
  for (; i < a.size(); ++i, ++j) result.push_back({' ', a[i], i, j});
  return result;
}

/// "12,3": first line and number of lines, as diff writes it.
std::string range(std::size_t lines_before, std::size_t lines) {
  const std::size_t first = lines == 0 ? lines_before : lines_before + 1;
  return lines == 1 ? fmt::format("{}", first) : fmt::format("{},{}", first, lines);
}

std::string hunk(const std::vector<Edit>& all, std::size_t begin, std::size_t end) {
  std::size_t removed = 0, added = 0;
  std::string body;
  for (std::size_t e = begin; e < end; ++e) {
    removed += all[e].sign != '+' ? 1 : 0;
    added += all[e].sign != '-' ? 1 : 0;
    body += fmt::format("{}{}\n", all[e].sign, all[e].line);
  }
  return fmt::format("@@ -{} +{} @@\n{}", range(all[begin].before, removed), range(all[begin].after, added), body);
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name,
                         std::string_view after_name) {
  const std::vector<Edit> all = edits(split_lines(before), split_lines(after));
  std::string text;
  for (std::size_t at = 0; at < all.size();) {
    if (all[at].sign == ' ') {
      ++at;
      continue;
    }
    // To the last change that is near the one before it.
    std::size_t last = at;
    for (std::size_t e = at; e < all.size() && e <= last + 2 * kContext + 1; ++e)
      if (all[e].sign != ' ') last = e;
    const std::size_t begin = at - std::min(at, kContext), end = std::min(all.size(), last + kContext + 1);
    text += hunk(all, begin, end);
    at = end;
  }
  return text.empty() ? "" : fmt::format("--- {}\n+++ {}\n{}", before_name, after_name, text);
}

}  // namespace kerlab
