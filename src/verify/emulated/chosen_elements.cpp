#include "verify/emulated/chosen_elements.h"

#include <algorithm>

namespace kerlab::verify {
namespace {

/// What of `strides` lies in [begin, end). `at`: the first that may; it moves on.
std::vector<Stride> within(const std::vector<Stride>& strides, std::int64_t begin, std::int64_t end, std::size_t& at) {
  std::vector<Stride> found;
  while (at < strides.size() && strides[at].first + strides[at].count <= begin) ++at;
  for (std::size_t i = at; i < strides.size() && strides[i].first < end; ++i) {
    const std::int64_t first = std::max(strides[i].first, begin);
    found.push_back({first, std::min(strides[i].first + strides[i].count, end) - first});
  }
  return found;
}

}  // namespace

std::vector<std::int64_t> thinned(const std::vector<Stride>& strides, std::size_t most) {
  std::int64_t all = 0;
  for (const Stride& stride : strides) all += stride.count;
  std::vector<std::int64_t> chosen;
  if (all <= static_cast<std::int64_t>(most)) {
    for (const Stride& stride : strides)
      for (std::int64_t i = 0; i < stride.count; ++i) chosen.push_back(stride.first + i);
    return chosen;
  }
  const double step = static_cast<double>(all) / static_cast<double>(most);
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  std::size_t in = 0;
  std::int64_t before = 0;  // elements of the strides before `in`
  for (std::size_t i = 0; i < most; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double within = static_cast<double>(state >> 40) / static_cast<double>(1u << 24);
    const auto at = std::min(static_cast<std::int64_t>((static_cast<double>(i) + within) * step), all - 1);
    while (at - before >= strides[in].count) before += strides[in++].count;
    chosen.push_back(strides[in].first + at - before);
  }
  return chosen;
}

std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& elements, std::size_t most) {
  std::vector<std::int64_t> chosen;
  for (const std::int64_t at : thinned({Stride{0, static_cast<std::int64_t>(elements.size())}}, most))
    chosen.push_back(elements[static_cast<std::size_t>(at)]);
  return chosen;
}

std::vector<std::int64_t> whole_rows(const std::vector<Stride>& strides, std::int64_t width, MostRows most) {
  std::vector<std::int64_t> rows;
  for (const std::int64_t element : thinned(strides, 16 * most.rows))
    if (rows.empty() || rows.back() != element / width) rows.push_back(element / width);
  if (rows.size() > most.rows) {
    std::vector<std::int64_t> chosen = thinned(rows, most.rows);
    chosen.front() = rows.front();
    chosen.back() = rows.back();
    rows = std::move(chosen);
  }
  const std::size_t of_each = std::max<std::size_t>(1, most.elements / std::max<std::size_t>(1, rows.size()));
  std::vector<std::int64_t> elements;
  std::size_t at = 0;
  for (const std::int64_t row : rows) {
    const std::vector<std::int64_t> own = thinned(within(strides, row * width, (row + 1) * width, at), of_each);
    elements.insert(elements.end(), own.begin(), own.end());
  }
  return elements;
}

}  // namespace kerlab::verify
