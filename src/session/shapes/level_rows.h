#pragma once
// Rows of a covering array: a level of each factor, what problem that is, and those that are made for something rather
// than drawn.

#include <functional>
#include <optional>
#include <vector>

#include "session/shapes/adversarial.h"

namespace kerlab::session {

/// A level of each factor.
using LevelOfEach = std::vector<std::size_t>;

class LevelRows {
 public:
  LevelRows(const ShapedKernel& kernel, const ProblemRequest& base, const ShapeLevels& levels,
            const ShapeLimits& limits)
      : kernel_(kernel),
        base_(base),
        levels_(levels),
        limits_(limits),
        steps_(steps_of(kernel, make_problem(kernel.family, base))) {}

  [[nodiscard]] ProblemRequest request_of(const LevelOfEach& row) const;
  /// It is a problem, valid for the configuration and within the limits.
  [[nodiscard]] bool is_affordable(const LevelOfEach& row) const;
  /// No more than that in whole tiles either, nearly: a single row of queries takes those of a hundred.
  [[nodiscard]] bool fills_its_tiles(const LevelOfEach& row) const;
  [[nodiscard]] bool is_a(std::size_t factor, ShapeFactor::What what) const;
  /// A dimension that mostly stays at its default.
  [[nodiscard]] bool is_quiet(std::size_t factor) const;
  /// One of those of which every extent is a level.
  [[nodiscard]] bool has_very_few(std::size_t factor) const;
  /// A scalar that is 0 where the base's is not, a dimension of nothing: what is wrong of other factors hides behind
  /// it.
  [[nodiscard]] bool is_muting(std::size_t factor, std::size_t level) const;
  /// What a row shows: everything; behind a muting factor that one alone; behind two that they are 0 together.
  struct Shown {
    std::vector<std::size_t> muting;
    [[nodiscard]] bool has(std::size_t factor) const;
    [[nodiscard]] bool has(std::size_t one, std::size_t other) const;
  };
  [[nodiscard]] Shown shown_by(const LevelOfEach& row) const;

  /// Of each dimension that is not quiet the least extent that is not very few, of whole `packet`s where there is one.
  [[nodiscard]] LevelOfEach few_row(std::int64_t packet) const;
  /// Whole tiles along each dimension; of each flag that has so many its `turn`th value, where that is valid.
  [[nodiscard]] LevelOfEach whole_row(std::size_t turn) const;
  /// The `turn`th other value of each flag, each `shift` further on than the one before it, and scalars that are 0 as
  /// fractions, on a small problem: of whole packets where `shift` is 0, else ragged.
  [[nodiscard]] LevelOfEach together_row(std::size_t turn, std::size_t shift) const;
  /// Nothing of that dimension, and scalars that are 0 as fractions, on a small problem; none: it has no extent of 0.
  [[nodiscard]] std::optional<LevelOfEach> empty_row(std::size_t factor) const;
  /// Of each dimension that is not quiet, the last one first, the longest extent that is affordable; of each flag that
  /// has so many its `turn`th value, where that is valid.
  [[nodiscard]] LevelOfEach long_row(std::size_t turn) const;
  /// The `turn`th other value of each flag as above, ragged or not, and the `turn`th other extent of each dimension
  /// that mostly stays at its default, and number of each scalar, but for a factor of 0.
  [[nodiscard]] LevelOfEach turned_row(std::size_t turn) const;
  /// A small problem, ragged, of whose dimensions the first has this residue modulo the widest access, and each a
  /// residue one larger than the one before it.
  [[nodiscard]] LevelOfEach residue_row(std::int64_t residue, std::int64_t wide) const;
  /// The base, whose dimensions have several tiles, with one element more than whole tiles of that dimension; none: it
  /// has no such extent.
  [[nodiscard]] std::optional<LevelOfEach> above_row(std::size_t factor) const;
  /// So many turns until each of them was had; no more than a few of the extents and numbers.
  [[nodiscard]] std::size_t turns() const;
  /// The factor at the first of these levels, before its own, for which a row of whole tiles is affordable: several of
  /// each dimension, or of one of them.
  [[nodiscard]] std::optional<LevelOfEach> affordable_with(std::size_t factor,
                                                           const std::vector<std::size_t>& levels) const;
  /// The level beside whole tiles along one dimension that is not quiet and the least of the others, for each of these.
  [[nodiscard]] std::vector<LevelOfEach> affordable_along_each(std::size_t factor, std::size_t level) const;

 private:
  using Wanted = std::function<bool(const ShapeLevel&)>;
  void set_if_valid(LevelOfEach& row, std::size_t factor, std::size_t level) const;
  [[nodiscard]] std::optional<std::size_t> least_level(std::size_t factor, const Wanted& wanted) const;
  [[nodiscard]] std::optional<std::size_t> whole_level(std::size_t factor) const;
  [[nodiscard]] LevelOfEach whole_along(std::size_t only) const;

  const ShapedKernel& kernel_;
  const ProblemRequest& base_;
  const ShapeLevels& levels_;
  const ShapeLimits& limits_;
  std::vector<KernelSteps> steps_;
};

}  // namespace kerlab::session
