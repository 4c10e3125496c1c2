#include "session/shapes/adversarial.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "session/shapes/bands.h"
#include "session/shapes/checked_problem.h"
#include "session/shapes/first_shape.h"
#include "session/shapes/level_rows.h"
#include "session/shapes/parts.h"
#include "session/shapes/thin.h"
#include "session/shapes/valid_shape.h"
#include "session/shapes/workers.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kFewestShapes = 8;
constexpr std::size_t kWithWholeTiles = 4, kTogether = 4, kWithLargest = 3;
constexpr std::size_t kFewPrograms = 8;
constexpr std::int64_t kAccess = 8;      // elements
constexpr std::size_t kRowsDrawn = 96;   // drawn for one problem
constexpr std::int64_t kWorthAlone = 3;  // what a goal of one factor is worth beside a pair

/// A stream of numbers that is the same everywhere.
class ShapeDraw {
 public:
  std::size_t below(std::size_t count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state_ >> 33) % count);
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15u;
};

/// Problems are added one after another, each that of those drawn which reaches the most that was not reached.
class CoveringArray {
 public:
  CoveringArray(const ShapedKernel& kernel, const ShapeLimits& limits, const ProblemRequest& base, const Problem& asked)
      : kernel_(kernel),
        levels_(levels_of(kernel, base, asked)),
        rows_(kernel, base, levels_, limits),
        limits_(limits) {
    found_.lost = levels_.lost;
    number_goals();
    add(LevelOfEach(levels_.factors.size(), 0));
    for (std::size_t f = 0; f < levels_.factors.size(); ++f) add_alone(f);
    add_padded();
    add_limits();
    for (std::size_t f = 0; f < levels_.factors.size(); ++f)
      if (const auto row = rows_.above_row(f); row && rows_.is_affordable(*row)) add(*row);
    for (std::size_t f = 0; f < levels_.factors.size(); ++f)
      if (const auto row = rows_.empty_row(f); row && rows_.is_affordable(*row)) add(*row);
  }

  void fill(bool flags, std::size_t most) {
    std::set<std::size_t> given_up;
    for (std::size_t added = 0; added < most;) {
      const std::optional<std::size_t> goal = next_goal(flags, given_up);
      if (!goal) return;
      const auto row = best_row(*goal, flags);
      if (row) {
        add(*row);
        ++added;
      }
      if (!row || (*goal < alone_.size() && !reached_.contains(*goal))) given_up.insert(*goal);
    }
  }

  /// Other flags where all tiles are whole, several at once: what is drawn for the edges has a rest nearly everywhere,
  /// and what is right there may be wrong without one.
  void add_whole(std::size_t most) {
    const std::size_t turns = most_flag_levels();
    std::size_t added = 0;
    for (std::size_t turn = 1; turn < turns && added < most; ++turn) {
      const LevelOfEach row = rows_.whole_row(turn);
      if (row == rows_.whole_row(0) || !rows_.is_affordable(row)) continue;
      add(row);
      ++added;
    }
  }

  /// All flags at once at others than those asked for, beside scalars that are 0 by default and are not here: what
  /// three of them do together no pair shows. Every value of each flag, on a small problem; as often around again as
  /// the most allow, each flag then beside others of the next.
  void add_together(std::size_t most) {
    const std::size_t turns = most_flag_levels() - 1;
    std::size_t added = 0;
    std::set<LevelOfEach> known;
    for (std::size_t turn = 0; turn < 2 * turns && added < most; ++turn) {
      const LevelOfEach row = rows_.together_row(turn, turn / turns);
      if (!rows_.is_affordable(row) || !known.insert(row).second) continue;
      add(row);
      ++added;
    }
  }

  /// What mostly stays at its default at the most that is affordable, where all else has several whole tiles: a long
  /// halo reaches into the next tile only where there is one.
  void add_at_largest(std::size_t most) {
    std::size_t added = 0;
    for (std::size_t f = 0; f < levels_.factors.size() && added < most; ++f) {
      if (!rows_.is_quiet(f)) continue;
      std::vector<std::size_t> order(levels_.factors[f].levels.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::sort(order, std::greater<>(), [&](std::size_t l) { return levels_.factors[f].levels[l].extent; });
      const auto row = rows_.affordable_with(f, order);
      if (!row) continue;
      add(*row);
      ++added;
    }
  }

  /// Each extent of those that are few, as a filter's radius, which may be a program of its own: beside whole tiles, of
  /// all dimensions together and of each, and beside whole accesses that are no tiles.
  void add_each_of_few() {
    for (std::size_t f = 0; f < levels_.factors.size(); ++f) {
      const std::size_t levels = levels_.factors[f].levels.size();
      for (std::size_t l = 0; rows_.has_very_few(f) && levels <= kFewPrograms && l < levels; ++l) {
        LevelOfEach few = rows_.few_row(kAccess);
        few[f] = l;
        if (rows_.is_affordable(few)) add(few);
        if (l == 0 && rows_.is_affordable(rows_.whole_row(0))) add(rows_.whole_row(0));
        const auto whole = rows_.affordable_with(f, {l});
        if (whole) add(*whole);
        for (const LevelOfEach& one : rows_.affordable_along_each(f, l))
          if (one != whole) add(one);
      }
    }
  }

  /// Draws more, whatever they reach, until there are so many; families with few problems have fewer.
  void fill_up(std::size_t least) {
    std::set<LevelOfEach> known;
    for (std::size_t i = 0; i < 8 * kRowsDrawn && found_.problems.size() < least; ++i) {
      const LevelOfEach row = draw_row(false);
      if (known.insert(row).second && rows_.is_affordable(row)) add(row);
    }
  }

  /// Every residue of all elements together modulo the widest access, as far as one of those drawn has it: who takes
  /// rows for one has a single rest.
  void add_residues() {
    const std::int64_t wide = widest_access(make_problem(kernel_.family, found_.problems.front().request));
    const auto residue_of = [&](const ProblemRequest& request) {
      std::int64_t residue = 1;
      for (const Dimension& dimension : kernel_.family.dimensions)
        if (!dimension.quiet) residue = residue * (request.dimensions.at(dimension.name) % wide) % wide;
      return residue;
    };
    std::set<std::int64_t> seen;
    for (const CheckedProblem& one : found_.problems) seen.insert(residue_of(one.request));
    for (std::size_t i = 0; i < 8 * kRowsDrawn && seen.size() < static_cast<std::size_t>(wide); ++i) {
      const LevelOfEach row = draw_row(false);
      if (seen.contains(residue_of(rows_.request_of(row))) || !rows_.is_affordable(row)) continue;
      seen.insert(residue_of(rows_.request_of(row)));
      add(row);
    }
  }

  AdversarialShapes take() {
    found_.goals = reached_.size();
    for (std::size_t g = 0; g < alone_.size(); ++g)
      if (!reached_.contains(g)) found_.left.push_back(alone_[g].text);
    return std::move(found_);
  }

 private:
  struct Goal {
    std::string text;
    std::vector<std::pair<std::size_t, std::size_t>> by;  ///< factor and level: any of these reaches it
    bool of_flag = false;
  };

  /// 1: there is no flag.
  [[nodiscard]] std::size_t most_flag_levels() const {
    std::size_t most = 1;
    for (const ShapeFactor& factor : levels_.factors)
      if (factor.what == ShapeFactor::What::flag) most = std::max(most, factor.levels.size());
    return most;
  }

  void number_goals() {
    std::map<std::string, std::size_t> known;
    goals_of_.resize(levels_.factors.size());
    kinds_.resize(levels_.factors.size());
    std::map<std::string, std::size_t> kinds;
    for (std::size_t f = 0; f < levels_.factors.size(); ++f) {
      const ShapeFactor& factor = levels_.factors[f];
      for (std::size_t l = 0; l < factor.levels.size(); ++l) {
        std::vector<std::size_t>& own = goals_of_[f].emplace_back();
        for (const std::string& text : factor.levels[l].alone) {
          const auto [at, is_new] = known.emplace(text, alone_.size());
          if (is_new) alone_.push_back({text, {}, factor.what == ShapeFactor::What::flag});
          alone_[at->second].by.emplace_back(f, l);
          own.push_back(at->second);
        }
        const std::string& kind = factor.levels[l].kind;
        kinds_[f].push_back(kind.empty() ? 0 : 1 + kinds.emplace(kind, kinds.size()).first->second);
      }
    }
  }

  /// Flags vary only where they are to; else they are as asked for.
  [[nodiscard]] std::optional<std::size_t> next_goal(bool flags, const std::set<std::size_t>& given_up) const {
    for (std::size_t g = 0; g < alone_.size(); ++g)
      if (!reached_.contains(g) && !given_up.contains(g) && (flags || !alone_[g].of_flag)) return g;
    const std::size_t pairs = alone_.size();  // of dimensions, or with flags
    if (!given_up.contains(pairs)) return pairs;
    return std::nullopt;
  }

  /// Around the tile of the one dimension, where all others are at their least.
  void add_alone(std::size_t factor) {
    LevelOfEach row(levels_.factors.size(), 0);
    const auto at = [&](std::size_t f, std::int64_t extent) {
      const std::vector<ShapeLevel>& levels = levels_.factors[f].levels;
      const auto found = std::ranges::find(levels, extent, &ShapeLevel::extent);
      if (found == levels.end()) return false;
      row[f] = static_cast<std::size_t>(found - levels.begin());
      return true;
    };
    for (std::size_t f = 0; f < row.size(); ++f)
      if (f != factor && levels_.factors[f].what == ShapeFactor::What::dimension)
        at(f, least_of(levels_.factors[f].name));
    for (const std::int64_t extent : levels_.alone[factor])
      if (at(factor, extent) && rows_.is_affordable(row)) add(row);
  }

  /// The base with gaps behind its rows: it has several, as many a problem drawn for an edge has not.
  void add_padded() {
    const auto padding = std::ranges::find(levels_.factors, ShapeFactor::What::padding, &ShapeFactor::what);
    if (padding == levels_.factors.end()) return;
    LevelOfEach row(levels_.factors.size(), 0);
    std::size_t& level = row[static_cast<std::size_t>(padding - levels_.factors.begin())];
    for (level = 1; level < padding->levels.size(); ++level)
      if (rows_.is_affordable(row)) add(row);
  }

  /// As many of a quiet dimension as a constraint allows beside the base's others: all of a row are sought.
  void add_limits() {
    LevelOfEach row(levels_.factors.size(), 0);
    for (std::size_t f = 0; f < row.size(); ++f) {
      const std::vector<ShapeLevel>& levels = levels_.factors[f].levels;
      const auto limit = std::ranges::find_if(levels, &ShapeLevel::limit);
      if (limit == levels.end()) continue;
      row[f] = static_cast<std::size_t>(limit - levels.begin());
      if (rows_.is_affordable(row)) add(row);
      row[f] = 0;
    }
  }

  [[nodiscard]] std::int64_t least_of(const std::string& name) const {
    const auto dimension = std::ranges::find(kernel_.family.dimensions, name, &Dimension::name);
    return std::max<std::int64_t>(1, dimension->minimum);
  }

  /// An extent beside a flag tells nothing that either does not alone; but a quiet dimension may matter under one value
  /// of a flag only (the page of a cache), and beside nothing else.
  [[nodiscard]] bool is_paired(std::size_t f, std::size_t g) const {
    if (rows_.is_quiet(f) || rows_.is_quiet(g))
      return rows_.is_a(f, ShapeFactor::What::flag) || rows_.is_a(g, ShapeFactor::What::flag);
    const auto apart = [&](std::size_t a, std::size_t b) {
      return rows_.is_a(a, ShapeFactor::What::flag) && rows_.is_a(b, ShapeFactor::What::dimension);
    };
    return !apart(f, g) && !apart(g, f);
  }

  /// `by_pairs`: nothing, where no pair of dimensions (`flags`: no pair with a flag) is new.
  [[nodiscard]] std::int64_t gain(const LevelOfEach& row, bool by_pairs, bool flags) const {
    std::set<std::size_t> alone;
    std::int64_t pairs = 0, needed = 0;
    const LevelRows::Shown shown = rows_.shown_by(row);
    for (std::size_t f = 0; f < row.size(); ++f) {
      for (const std::size_t goal : goals_of_[f][row[f]])
        if (shown.has(f) && !reached_.contains(goal)) alone.insert(goal);
      const std::size_t kind = kinds_[f][row[f]];
      for (std::size_t g = 0; g < f && kind != 0; ++g)
        if (kinds_[g][row[g]] != 0 && shown.has(f, g) && is_paired(f, g) &&
            !pairs_.contains({kinds_[g][row[g]], kind})) {
          ++pairs;
          needed += flags ? rows_.is_a(f, ShapeFactor::What::flag) || rows_.is_a(g, ShapeFactor::What::flag)
                          : rows_.is_a(f, ShapeFactor::What::dimension) && rows_.is_a(g, ShapeFactor::What::dimension);
        }
    }
    if (by_pairs && needed == 0) return 0;
    return kWorthAlone * static_cast<std::int64_t>(alone.size()) + pairs;
  }

  void add(const LevelOfEach& row) {
    ProblemRequest request = rows_.request_of(row);
    const Thoroughness thoroughness = thoroughness_of(kernel_, make_problem(kernel_.family, request), limits_);
    found_.problems.push_back({std::move(request), MadeFor::edges, thoroughness});
    const LevelRows::Shown shown = rows_.shown_by(row);
    for (std::size_t f = 0; f < row.size(); ++f) {
      if (shown.has(f)) reached_.insert(goals_of_[f][row[f]].begin(), goals_of_[f][row[f]].end());
      for (std::size_t g = 0; g < f; ++g)
        if (shown.has(f, g)) pairs_.insert({kinds_[g][row[g]], kinds_[f][row[f]]});
    }
  }

  LevelOfEach draw_row(bool flags) {
    LevelOfEach row;
    for (const ShapeFactor& factor : levels_.factors) {
      const bool stays = factor.what == ShapeFactor::What::flag
                             ? !flags
                             : factor.what != ShapeFactor::What::dimension && draw_.below(2) == 0;
      row.push_back(stays ? 0 : draw_.below(factor.levels.size()));
    }
    return row;
  }

  /// Of those drawn that reach the goal the first valid and affordable one, in the order of what else they reach.
  std::optional<LevelOfEach> best_row(std::size_t goal, bool flags) {
    std::vector<std::pair<std::int64_t, LevelOfEach>> drawn;
    for (std::size_t i = 0; i < kRowsDrawn; ++i) {
      LevelOfEach row = draw_row(flags);
      if (goal < alone_.size()) {
        const auto& [f, l] = alone_[goal].by[draw_.below(alone_[goal].by.size())];
        row[f] = l;
      }
      const std::int64_t value = gain(row, goal == alone_.size(), flags);
      drawn.emplace_back(value, std::move(row));
    }
    // Last of all the base but for the goal.
    if (goal < alone_.size())
      for (const auto& [f, l] : alone_[goal].by) {
        LevelOfEach row(levels_.factors.size(), 0);
        row[f] = l;
        drawn.emplace_back(1, std::move(row));
      }
    std::ranges::stable_sort(drawn, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::optional<LevelOfEach> first;
    for (const auto& [value, row] : drawn) {
      if (value <= 0 || !rows_.is_affordable(row)) continue;
      if (rows_.fills_its_tiles(row)) return row;
      if (!first) first = row;
    }
    return first;
  }

  const ShapedKernel& kernel_;
  ShapeLevels levels_;
  LevelRows rows_;
  const ShapeLimits& limits_;
  std::vector<Goal> alone_;
  std::vector<std::vector<std::vector<std::size_t>>> goals_of_;  ///< of each factor and level
  std::vector<std::vector<std::size_t>> kinds_;                  ///< the same; 0: none
  std::set<std::size_t> reached_;
  std::set<std::pair<std::size_t, std::size_t>> pairs_;
  ShapeDraw draw_;
  AdversarialShapes found_;
};

}  // namespace

AdversarialShapes adversarial_shapes(const ShapedKernel& kernel, const Problem& asked, const ShapeLimits& limits) {
  const ProblemRequest base = first_shape(kernel, asked);
  CoveringArray array(kernel, limits, base, asked);
  array.fill(false, limits.shapes);
  array.fill_up(kFewestShapes);
  array.fill(true, limits.with_flags);
  if (limits.with_flags > 0) array.add_whole(kWithWholeTiles);
  if (limits.with_flags > 0) array.add_together(kTogether);
  array.add_at_largest(kWithLargest);
  array.add_each_of_few();
  array.add_residues();
  AdversarialShapes found = array.take();
  const auto is_other = [&](const CheckedProblem& one) {
    return make_problem(kernel.family, one.request).key() != asked.key();
  };
  const auto first = std::ranges::find_if(found.problems, is_other);
  if (first != found.problems.end()) first->thoroughness = Thoroughness::thorough;
  for (ProblemRequest& request : thin_shapes(kernel, base, limits)) {
    const Problem problem = make_problem(kernel.family, request);
    const Thoroughness thoroughness = thoroughness_of(kernel, problem, limits, MadeFor::long_extent);
    found.problems.push_back({std::move(request), MadeFor::long_extent, thoroughness});
  }
  for (ProblemRequest& request : costly_shapes(kernel, base, limits))
    found.problems.push_back({std::move(request), MadeFor::costly_extent, Thoroughness::one_recipe});
  for (CheckedProblem& one : banded_shapes(kernel, base, limits.flops)) found.problems.push_back(std::move(one));
  for (CheckedProblem& one : worker_shapes(kernel, base, limits)) found.problems.push_back(std::move(one));
  if (auto batch = shared_workspace_batch(kernel, base)) found.problems.push_back(std::move(*batch));
  for (CheckedProblem& one : many_rounds_shapes(kernel, base, limits)) found.problems.push_back(std::move(one));
  for (CheckedProblem& one : many_parts_shapes(kernel, base, limits)) found.problems.push_back(std::move(one));
  return found;
}

}  // namespace kerlab::session
