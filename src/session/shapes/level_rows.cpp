#include "session/shapes/level_rows.h"

#include <algorithm>
#include <utility>

#include "session/shapes/valid_shape.h"

namespace kerlab::session {

namespace {

constexpr std::int64_t kFewTogether = 33;    // more than a warp, so that columns and rows differ
constexpr std::int64_t kPacketTogether = 8;  // what more flags take than are ragged: a transposed operand by TMA, say
constexpr double kTilesOfFlops = 10;         // whole tiles may compute so many times what a problem may
constexpr std::size_t kFewTurns = 6;         // of what mostly stays at its default: a dimension, a scalar

}  // namespace

void set_level(ProblemRequest& request, const ShapeFactor& factor, const ShapeLevel& level) {
  switch (factor.what) {
    case ShapeFactor::What::dimension:
      request.dimensions[factor.name] = level.extent;
      break;
    case ShapeFactor::What::flag:
      request.flags[factor.name] = level.value;
      break;
    case ShapeFactor::What::scalar:
      request.scalars[factor.name] = level.number;
      break;
    case ShapeFactor::What::padding:
      request.row_padding = level.padding;
      break;
  }
}

ProblemRequest LevelRows::request_of(const LevelOfEach& row) const {
  ProblemRequest request = base_;
  for (std::size_t f = 0; f < row.size(); ++f) {
    const ShapeFactor& factor = levels_.factors[f];
    set_level(request, factor, factor.levels[row[f]]);
  }
  return request;
}

bool LevelRows::is_affordable(const LevelOfEach& row) const {
  const auto problem = valid_problem(kernel_, request_of(row));
  return problem && bytes_of_tensors(kernel_.family, *problem) <= limits_.bytes &&
         flops_of(kernel_.family, *problem) <= limits_.flops;
}

bool LevelRows::fills_its_tiles(const LevelOfEach& row) const {
  return flops_in_tiles(kernel_.family, steps_, make_problem(kernel_.family, request_of(row))) <=
         kTilesOfFlops * limits_.flops;
}

bool LevelRows::is_a(std::size_t factor, ShapeFactor::What what) const {
  return levels_.factors[factor].what == what;
}

bool LevelRows::is_quiet(std::size_t factor) const {
  const auto dimension = std::ranges::find(kernel_.family.dimensions, levels_.factors[factor].name, &Dimension::name);
  return is_a(factor, ShapeFactor::What::dimension) && dimension->quiet;
}

bool LevelRows::has_very_few(std::size_t factor) const {
  if (!is_quiet(factor)) return false;
  return kerlab::session::has_very_few(
      *std::ranges::find(kernel_.family.dimensions, levels_.factors[factor].name, &Dimension::name));
}

bool LevelRows::is_muting(std::size_t factor, std::size_t level) const {
  const std::vector<ShapeLevel>& levels = levels_.factors[factor].levels;
  if (is_a(factor, ShapeFactor::What::scalar)) return levels[level].number == 0 && levels[0].number != 0;
  return is_a(factor, ShapeFactor::What::dimension) && levels[level].extent == 0 && levels[0].extent != 0;
}

bool LevelRows::Shown::has(std::size_t factor) const {
  return muting.empty() || (muting.size() == 1 && muting[0] == factor);
}

bool LevelRows::Shown::has(std::size_t one, std::size_t other) const {
  return std::ranges::all_of(muting, [&](std::size_t factor) { return factor == one || factor == other; });
}

LevelRows::Shown LevelRows::shown_by(const LevelOfEach& row) const {
  Shown shown;
  for (std::size_t f = 0; f < row.size(); ++f)
    if (is_muting(f, row[f])) shown.muting.push_back(f);
  return shown;
}

void LevelRows::set_if_valid(LevelOfEach& row, std::size_t factor, std::size_t level) const {
  const std::size_t before = std::exchange(row[factor], level);
  if (!valid_problem(kernel_, request_of(row))) row[factor] = before;
}

/// The level of the least extent of those that are wanted.
std::optional<std::size_t> LevelRows::least_level(std::size_t factor, const Wanted& wanted) const {
  const std::vector<ShapeLevel>& levels = levels_.factors[factor].levels;
  std::optional<std::size_t> least;
  for (std::size_t l = 0; l < levels.size(); ++l)
    if (wanted(levels[l]) && (!least || levels[l].extent < levels[*least].extent)) least = l;
  return least;
}

/// The least whole extent of several tiles, else of one.
std::optional<std::size_t> LevelRows::whole_level(std::size_t factor) const {
  const auto one = least_level(factor, [](const ShapeLevel& level) { return level.whole; });
  if (!one) return std::nullopt;
  const std::int64_t tile = levels_.factors[factor].levels[*one].extent;
  const auto several = least_level(factor, [&](const ShapeLevel& level) { return level.whole && level.extent > tile; });
  return several ? several : one;
}

LevelOfEach LevelRows::whole_row(std::size_t turn) const {
  LevelOfEach row(levels_.factors.size(), 0);
  for (std::size_t f = 0; f < row.size(); ++f)
    if (is_a(f, ShapeFactor::What::flag) && turn < levels_.factors[f].levels.size()) set_if_valid(row, f, turn);
  for (std::size_t f = 0; f < row.size(); ++f)
    if (const auto level = whole_level(f)) set_if_valid(row, f, *level);
  return row;
}

LevelOfEach LevelRows::few_row(std::int64_t packet) const {
  LevelOfEach row(levels_.factors.size(), 0);
  for (std::size_t f = 0; f < row.size(); ++f) {
    if (!is_a(f, ShapeFactor::What::dimension) || is_quiet(f)) continue;
    const auto whole = least_level(
        f, [&](const ShapeLevel& level) { return level.extent >= kFewTogether && level.extent % packet == 0; });
    const auto any = least_level(f, [](const ShapeLevel& level) { return level.extent >= kFewTogether; });
    if (whole || any) set_if_valid(row, f, whole ? *whole : *any);
  }
  return row;
}

LevelOfEach LevelRows::together_row(std::size_t turn, std::size_t shift) const {
  LevelOfEach row = few_row(shift == 0 ? kPacketTogether : 1);
  std::size_t place = turn;
  for (std::size_t f = 0; f < row.size(); ++f) {
    const std::vector<ShapeLevel>& levels = levels_.factors[f].levels;
    if (is_a(f, ShapeFactor::What::scalar) && levels[0].number == 0 && levels.size() > 1) set_if_valid(row, f, 1);
    if (!is_a(f, ShapeFactor::What::flag) || levels.size() < 2) continue;
    set_if_valid(row, f, 1 + place % (levels.size() - 1));
    place += shift;
  }
  return row;
}

std::size_t LevelRows::turns() const {
  std::size_t turns = 0;
  for (std::size_t f = 0; f < levels_.factors.size(); ++f) {
    const std::size_t others = levels_.factors[f].levels.size() - 1;
    if (is_a(f, ShapeFactor::What::flag)) turns = std::max(turns, others);
    if (is_quiet(f) || is_a(f, ShapeFactor::What::scalar)) turns = std::max(turns, std::min(others, kFewTurns));
  }
  return turns;
}

std::optional<LevelOfEach> LevelRows::empty_row(std::size_t factor) const {
  const std::vector<ShapeLevel>& own = levels_.factors[factor].levels;
  const auto nothing = std::ranges::find(own, 0, &ShapeLevel::extent);
  if (!is_a(factor, ShapeFactor::What::dimension) || nothing == own.end()) return std::nullopt;
  LevelOfEach row = few_row(kPacketTogether);
  set_if_valid(row, factor, static_cast<std::size_t>(nothing - own.begin()));
  for (std::size_t f = 0; f < row.size(); ++f) {
    const std::vector<ShapeLevel>& levels = levels_.factors[f].levels;
    if (is_a(f, ShapeFactor::What::scalar) && levels[0].number == 0 && levels.size() > 1) set_if_valid(row, f, 1);
  }
  return row;
}

LevelOfEach LevelRows::long_row(std::size_t turn) const {
  LevelOfEach row = few_row(1);
  for (std::size_t f = 0; f < row.size(); ++f)
    if (is_a(f, ShapeFactor::What::flag) && turn < levels_.factors[f].levels.size()) set_if_valid(row, f, turn);
  for (std::size_t f = row.size(); f-- > 0;) {
    if (!is_a(f, ShapeFactor::What::dimension) || is_quiet(f)) continue;
    for (std::size_t l = 0; l < levels_.factors[f].levels.size(); ++l) {
      if (levels_.factors[f].levels[l].extent <= levels_.factors[f].levels[row[f]].extent) continue;
      const std::size_t before = std::exchange(row[f], l);
      if (!is_affordable(row)) row[f] = before;
    }
  }
  return row;
}

LevelOfEach LevelRows::turned_row(std::size_t turn) const {
  LevelOfEach row = together_row(turn, turn % 2);
  for (std::size_t f = 0; f < row.size(); ++f) {
    const std::size_t levels = levels_.factors[f].levels.size();
    if (levels < 2 || !(is_quiet(f) || is_a(f, ShapeFactor::What::scalar))) continue;
    const std::size_t level = 1 + turn % (levels - 1);
    if (!is_muting(f, level)) set_if_valid(row, f, level);  // of a factor of 0 nothing else is seen
  }
  return row;
}

LevelOfEach LevelRows::residue_row(std::int64_t residue, std::int64_t wide) const {
  LevelOfEach row = few_row(1);
  for (std::size_t f = 0; f < row.size(); ++f) {
    if (!is_a(f, ShapeFactor::What::dimension) || is_quiet(f)) continue;
    const auto level = least_level(
        f, [&](const ShapeLevel& one) { return one.extent >= kFewTogether && one.extent % wide == residue % wide; });
    if (level) set_if_valid(row, f, *level);
    ++residue;
  }
  return row;
}

std::optional<LevelOfEach> LevelRows::above_row(std::size_t factor) const {
  if (!is_a(factor, ShapeFactor::What::dimension) || is_quiet(factor)) return std::nullopt;
  const auto is_above = [](const ShapeLevel& level) { return level.above; };
  const auto first = least_level(factor, is_above);
  if (!first) return std::nullopt;
  const std::int64_t least = levels_.factors[factor].levels[*first].extent;
  const auto second =
      least_level(factor, [&](const ShapeLevel& level) { return level.extent > least && is_above(level); });
  LevelOfEach row(levels_.factors.size(), 0);
  for (const auto& level : {first, second})  // of several tiles, where that is affordable: some touch no edge
    if (level) {
      const std::size_t before = std::exchange(row[factor], *level);
      if (!is_affordable(row)) row[factor] = before;
    }
  return row;
}

/// Whole tiles along that dimension, and no more of the others than must be.
LevelOfEach LevelRows::whole_along(std::size_t only) const {
  LevelOfEach row(levels_.factors.size(), 0);
  for (std::size_t f = 0; f < row.size(); ++f) {
    if (!is_a(f, ShapeFactor::What::dimension)) continue;
    const auto level =
        f == only ? whole_level(f) : least_level(f, [](const ShapeLevel& one) { return one.extent > 0; });
    if (level) set_if_valid(row, f, *level);
  }
  return row;
}

std::optional<LevelOfEach> LevelRows::affordable_with(std::size_t factor,
                                                      const std::vector<std::size_t>& levels) const {
  for (const std::size_t level : levels) {
    if (level == 0) return std::nullopt;
    LevelOfEach row = whole_row(0);
    row[factor] = level;
    if (is_affordable(row)) return row;
    for (std::size_t several = row.size(); several-- > 0;) {
      if (!is_a(several, ShapeFactor::What::dimension) || several == factor) continue;
      row = whole_along(several);
      row[factor] = level;
      if (is_affordable(row)) return row;
    }
  }
  return std::nullopt;
}

std::vector<LevelOfEach> LevelRows::affordable_along_each(std::size_t factor, std::size_t level) const {
  std::vector<LevelOfEach> rows;
  for (std::size_t along = 0; along < levels_.factors.size(); ++along) {
    if (!is_a(along, ShapeFactor::What::dimension) || is_quiet(along)) continue;
    LevelOfEach row = whole_along(along);
    row[factor] = level;
    if (is_affordable(row)) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace kerlab::session
