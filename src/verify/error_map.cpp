#include "verify/error_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace kerlab::verify {
namespace {

constexpr std::int64_t kPictureRows = 16, kPictureColumns = 48;
constexpr double kMostly = 0.5;  // of elements: a wrong one may be right by chance, where values are few
constexpr std::size_t kMostTiles = 6;
constexpr std::int64_t kMostKept = std::int64_t{1} << 28;  // elements, two bits each

/// A power of two, so that tiles fall on characters.
std::int64_t cell(std::int64_t extent, std::int64_t characters) {
  const std::int64_t least = std::max<std::int64_t>((extent + characters - 1) / characters, 1);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
}

std::string share(std::int64_t wrong, std::int64_t of) {
  if (wrong == of) return "every element";
  return fmt::format("{:.0f} % of the elements",
                     std::min(99.0, 100.0 * static_cast<double>(wrong) / static_cast<double>(of)));
}

}  // namespace

ErrorMap::ErrorMap(const Tensor& output) {
  const auto& shape = output.shape;
  line_ = shape.size() < 2;
  columns_ = std::max<std::int64_t>(shape.empty() ? 1 : shape.back(), 1);
  rows_ = std::max<std::int64_t>(line_ ? 1 : shape[shape.size() - 2], 1);
  matrix_ = rows_ * columns_;
  matrices_ = std::max<std::int64_t>(output.elements() / matrix_, 1);
  rows_ = std::min(rows_, std::max<std::int64_t>(kMostKept / columns_, 1));
  columns_ = std::min(columns_, kMostKept);
  seen_.resize(static_cast<std::size_t>(rows_ * columns_));
  wrong_.resize(seen_.size());
  by_row_.resize(static_cast<std::size_t>(rows_));
  by_column_.resize(static_cast<std::size_t>(columns_));
  cell_rows_ = cell(rows_, kPictureRows);
  cell_columns_ = line_ ? cell(columns_, kPictureRows * kPictureColumns) : cell(columns_, kPictureColumns);
}

void ErrorMap::see(std::int64_t element, bool wrong) {
  const auto place = static_cast<std::size_t>(element % matrix_);
  if (place >= seen_.size()) return;
  const auto add = [](Counts& counts, bool first_look, bool first_fault) {
    counts.seen += first_look ? 1 : 0;
    counts.wrong += first_fault ? 1 : 0;
  };
  const bool first_look = !seen_[place], first_fault = wrong && !wrong_[place];
  add(by_row_[place / static_cast<std::size_t>(columns_)], first_look, first_fault);
  add(by_column_[place % static_cast<std::size_t>(columns_)], first_look, first_fault);
  add(all_, first_look, first_fault);
  seen_[place] = true;
  if (wrong) wrong_[place] = true;
}

ErrorMap::Counts ErrorMap::within(std::int64_t row, std::int64_t rows, std::int64_t column,
                                  std::int64_t columns) const {
  Counts counts;
  for (std::int64_t r = row; r < std::min(row + rows, rows_); ++r) {
    for (std::int64_t c = column; c < std::min(column + columns, columns_); ++c) {
      const auto place = static_cast<std::size_t>(r * columns_ + c);
      counts.seen += seen_[place] ? 1 : 0;
      counts.wrong += wrong_[place] ? 1 : 0;
    }
  }
  return counts;
}

std::vector<std::string> ErrorMap::picture() const {
  std::vector<std::string> lines;
  const auto character = [](const Counts& counts) {
    if (counts.seen == 0) return ' ';
    if (counts.wrong == 0) return '.';
    return static_cast<double>(counts.wrong) > kMostly * static_cast<double>(counts.seen) ? '#' : '+';
  };
  const std::int64_t per_line = line_ ? cell_columns_ * kPictureColumns : columns_;
  for (std::int64_t r = 0; r < rows_; r += cell_rows_) {
    for (std::int64_t begin = 0; begin < columns_; begin += per_line) {
      std::string& line = lines.emplace_back();
      for (std::int64_t c = begin; c < std::min(begin + per_line, columns_); c += cell_columns_)
        line += character(within(r, cell_rows_, c, cell_columns_));
    }
  }
  return lines;
}

std::string ErrorMap::scale() const {
  const std::string size = line_ ? fmt::format("{}", cell_columns_) : fmt::format("{} x {}", cell_rows_, cell_columns_);
  return fmt::format("a character is {} element{}{}", size, size == "1" || size == "1 x 1" ? "" : "s",
                     matrices_ > 1 ? fmt::format(", of {} matrices one above the other", matrices_) : "");
}

/// Wrong tiles of one size, where they are told apart from the right ones: mostly wrong or all right.
std::string ErrorMap::of_tiles(std::int64_t height, std::int64_t width) const {
  std::vector<std::string> names;
  Counts bad;
  std::size_t tiles = 0;
  for (std::int64_t r = 0; r < rows_; r += height) {
    for (std::int64_t c = 0; c < columns_; c += width) {
      const Counts counts = within(r, height, c, width);
      tiles += counts.seen > 0 ? 1 : 0;
      if (counts.wrong == 0) continue;
      if (static_cast<double>(counts.wrong) <= kMostly * static_cast<double>(counts.seen)) return {};
      bad.seen += counts.seen;
      bad.wrong += counts.wrong;
      names.push_back(names.size() < kMostTiles ? fmt::format("({}, {})", r / height, c / width) : "");
    }
  }
  if (names.size() == tiles) return {};
  const std::size_t more = names.size() > kMostTiles ? names.size() - kMostTiles : 0;
  names.resize(names.size() - more);
  return fmt::format("tile-aligned: {} of the {} x {} tile{} {}{}", share(bad.wrong, bad.seen), height, width,
                     names.size() + more > 1 ? "s" : "", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more of {}", more, tiles) : "");
}

/// The largest tiles that tell right from wrong.
std::string ErrorMap::of_tiles() const {
  constexpr std::pair<int, int> kSizes[] = {{256, 256}, {256, 128}, {128, 256}, {128, 128}, {256, 64}, {64, 256},
                                            {128, 64},  {64, 128},  {64, 64},   {128, 32},  {32, 128}, {64, 32},
                                            {32, 64},   {32, 32},   {16, 64},   {64, 16},   {16, 32},  {32, 16},
                                            {16, 16},   {16, 8},    {8, 16},    {8, 8}};
  for (const auto& [height, width] : kSizes) {
    if (height >= rows_ || width >= columns_) continue;
    if (std::string text = of_tiles(height, width); !text.empty()) return text;
  }
  return {};
}

ErrorMap::Region ErrorMap::of_rows_and_columns() const {
  const auto touched = [](const std::vector<Counts>& counts) {
    std::vector<std::int64_t> indices;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i].wrong > 0) indices.push_back(static_cast<std::int64_t>(i));
    return completed(indices, static_cast<std::int64_t>(counts.size()));
  };
  const std::vector<std::int64_t> rows = touched(by_row_), columns = touched(by_column_);
  std::int64_t seen = 0;
  for (const std::int64_t row : rows)
    for (const std::int64_t column : columns) seen += seen_[static_cast<std::size_t>(row * columns_ + column)] ? 1 : 0;
  const IndexWords by_row = describe_indices(rows, rows_, "row");
  const IndexWords by_column = describe_indices(columns, columns_, line_ ? "element" : "column");
  const bool rectangle = !by_row.text.empty() && !by_column.text.empty();
  const std::string where = by_row.text + (rectangle ? ", " : "") + by_column.text;
  const bool told = by_row.complete && by_column.complete;
  const bool warp = by_row.periodic && static_cast<std::int64_t>(rows.size()) * 2 <= rows_;
  const bool dense = static_cast<double>(all_.wrong) > kMostly * static_cast<double>(seen);
  if (dense && where.empty())
    return {share(all_.wrong, seen) + (all_.wrong == seen ? " is wrong" : " are wrong"), told, rectangle};
  if (dense)
    return {fmt::format("{} only{}{}", where, warp ? " (as one warp's rows are)" : "",
                        all_.wrong == seen ? "" : fmt::format(": {}", share(all_.wrong, seen))),
            told, rectangle};
  return {fmt::format("scattered: {} elements ({:.2g} %){}", all_.wrong,
                      100.0 * static_cast<double>(all_.wrong) / static_cast<double>(seen),
                      where.empty() ? "" : ", in " + where),
          false, rectangle};
}

std::string ErrorMap::sentence() const {
  if (all_.wrong == 0) return {};
  if (all_.wrong == 1 && all_.seen > 1) return "one element";
  const Region region = of_rows_and_columns();
  if (region.told && !region.rectangle) return region.text;  // a rectangle that is a tile should be called one
  if (all_.wrong < all_.seen)
    if (std::string tiles = of_tiles(); !tiles.empty()) return tiles;
  return region.text;
}

}  // namespace kerlab::verify
