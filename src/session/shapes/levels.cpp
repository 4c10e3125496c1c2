#include "session/shapes/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "session/shapes/level_extents.h"
#include "session/shapes/valid_shape.h"

namespace kerlab::session {

namespace {

constexpr std::int64_t kVeryFew = 16;           // of so few every value is tried
constexpr std::int64_t kMostSought = 4096;      // of a quiet dimension, which others may end
constexpr std::int64_t kTriedOfFew = 8;         // of what is so few by default (fields, steps)
constexpr std::int64_t kBeyond16Bits = 65'537;  // the least and the largest of so many are the same in 16 bits
constexpr std::int64_t kBeyond24Bits = (std::int64_t{1} << 25) + 1;  // fp32 holds every second of them
// A counter in two words, of which the lower one is full.
constexpr std::int64_t kCarries = (std::int64_t{1} << 33) - 1;
constexpr std::int64_t kRowPadding = 48;   // bytes: no multiple of a sector
constexpr std::int64_t kMostPower = 4096;  // of the powers of two of which each is tried where little else is valid
constexpr double kFraction = 1.2345678806304932;  // 24 significant bits in fp32
// What keeps a divisor from 0 is small, and smaller and larger ones are used: who has a least or a most of his own is
// wrong there.
constexpr double kSmallScalar = 1e-3, kMuchLess = 1.0 / 64, kMuchMore = 1024;

/// Elements in 16 bytes.
std::int64_t packet_of(const Problem& base) {
  return std::max<std::int64_t>(1, elements_in(base.dtype, 16));
}

ProblemRequest varied(ProblemRequest request, const ShapeFactor& factor, const ShapeLevel& level) {
  set_level(request, factor, level);
  return request;
}

class LevelCollector {
 public:
  LevelCollector(const ShapedKernel& kernel, const ProblemRequest& base, const Problem& asked)
      : kernel_(kernel), base_(base), asked_(base), problem_(make_problem(kernel.family, base)) {
    asked_.dimensions = {asked.dimensions.begin(), asked.dimensions.end()};
    whole_ = few_ = base;
    for (const Dimension& dimension : kernel.family.dimensions)
      if (dimension.quiet)
        few_.dimensions[dimension.name] = std::max<std::int64_t>(1, dimension.minimum);
      else
        whole_.dimensions[dimension.name] = std::clamp(widest_access(problem_), dimension.minimum, dimension.maximum);
  }

  ShapeLevels collect() {
    const auto steps = steps_of(kernel_, problem_);
    for (std::size_t d = 0; d < kernel_.family.dimensions.size(); ++d) add_dimension(d, steps[d]);
    for (const Flag& flag : kernel_.family.flags) add_flag(flag);
    for (const ScalarDecl& scalar : kernel_.family.scalars) add_scalar(scalar);
    add_padding();
    return std::move(levels_);
  }

 private:
  bool is_valid(const ShapeFactor& factor, const ShapeLevel& level) const {
    if (valid_problem(kernel_, varied(base_, factor, level)) || valid_problem(kernel_, varied(asked_, factor, level)))
      return true;
    return factor.what == ShapeFactor::What::dimension &&
           (valid_problem(kernel_, varied(whole_, factor, level)) ||
            valid_problem(kernel_, varied(few_, factor, level)) || is_valid_beside_flag(factor, level));
  }

  /// An extent may be valid beside another value of a flag alone.
  bool is_valid_beside_flag(const ShapeFactor& factor, const ShapeLevel& level) const {
    for (const Flag& flag : kernel_.family.flags)
      for (const std::string& value : flag.values) {
        ProblemRequest request = varied(base_, factor, level);
        if (std::exchange(request.flags[flag.name], value) != value && valid_problem(kernel_, request)) return true;
      }
    return false;
  }

  /// Keeps what is valid. The first is the base's, which is.
  void add(ShapeFactor factor, const std::vector<ShapeLevel>& wished) {
    for (const ShapeLevel& level : wished)
      if (factor.levels.empty() || is_valid(factor, level)) factor.levels.push_back(level);
    levels_.factors.push_back(std::move(factor));
    levels_.alone.emplace_back();
  }

  void add_dimension(std::size_t d, const KernelSteps& steps) {
    const Dimension& dimension = kernel_.family.dimensions[d];
    const std::int64_t base = problem_.dimensions[d].second, packet = packet_of(problem_);
    const auto level = [&](std::int64_t extent) {
      ShapeLevel made{fmt::format("{}={}", dimension.name, extent), extent, {}, 0, {}, false, false, {}};
      if (!dimension.quiet) return made;
      made.alone = {made.text};
      made.kind = fmt::format("{} {} power of two", dimension.name, power_in(extent, extent) == extent ? "a" : "no");
      return made;
    };
    std::vector<ShapeLevel> wished = {level(base)};
    std::set<std::int64_t> each;
    if (dimension.quiet) {
      const std::int64_t own = asked_.dimensions.at(dimension.name);
      std::set<std::int64_t> extents = quiet_extents(dimension, base);
      extents.merge(quiet_extents(dimension, own));
      extents.insert(own);
      extents.erase(base);
      if (is_head(own)) extents.insert(std::begin(kHeads), std::end(kHeads));
      std::erase_if(extents, [&](std::int64_t extent) { return extent > dimension.maximum; });
      for (const std::int64_t extent : extents) wished.push_back(level(extent));
      add_residues(dimension, own, wished);
      if (is_no_extent(dimension)) {
        wished.push_back(level(kBeyond16Bits));
        for (const std::int64_t many : {kBeyond24Bits, kCarries})
          if (dimension.maximum >= many) wished.push_back(level(many));
      } else {
        if (const auto many = many_more(dimension, base)) wished.push_back(level(*many));
        if (const auto most = most_beside_base(dimension, base)) {
          if (std::ranges::find(wished, *most, &ShapeLevel::extent) == wished.end()) wished.push_back(level(*most));
          std::ranges::find(wished, *most, &ShapeLevel::extent)->limit = true;
        }
      }
    } else {
      std::set<std::int64_t> extents = extents_of(dimension, steps, widest_access(problem_), packet, base);
      each = tried_each(dimension, extents);
      extents.insert(each.begin(), each.end());
      extents.erase(base);
      for (const std::int64_t extent : extents) wished.push_back(level(extent));
    }
    add({ShapeFactor::What::dimension, dimension.name, {}}, wished);
    if (!dimension.quiet) set_goals(dimension, steps, wished, each);
  }

  /// Of a quiet dimension that is no mere count of copies every residue of the widest access is a goal too: `wished`
  /// has some by what it holds already.
  void add_residues(const Dimension& dimension, std::int64_t own, std::vector<ShapeLevel>& wished) const {
    const std::int64_t wide = widest_access(problem_);
    if (own < wide || has_very_few(dimension) || is_no_extent(dimension)) return;
    const auto goal_of = [&](std::int64_t extent) {
      return fmt::format("{} % {} = {}", dimension.name, wide, extent % wide);
    };
    std::set<std::int64_t> residues;
    for (ShapeLevel& level : wished) {
      level.alone.push_back(goal_of(level.extent));
      residues.insert(level.extent % wide);
    }
    for (std::int64_t extent = own / wide * wide + 1; residues.size() < static_cast<std::size_t>(wide); ++extent) {
      if (!residues.insert(extent % wide).second) continue;
      if (extent < dimension.minimum || extent > dimension.maximum) continue;
      ShapeLevel one{fmt::format("{}={}", dimension.name, extent), extent, {}, 0, {goal_of(extent)}, false, false, {}};
      wished.push_back(std::move(one));
    }
  }

  /// Extents that are goals by themselves: those that heads have, where the default is one of them; the first ones of
  /// what is few by default; powers of two where nothing else of what is wished is valid.
  std::set<std::int64_t> tried_each(const Dimension& dimension, const std::set<std::int64_t>& wished) const {
    std::set<std::int64_t> each;
    const std::int64_t usual = dimension.default_value.evaluate(problem_.environment);
    if (is_head(usual)) each.insert(std::begin(kHeads), std::end(kHeads));
    for (std::int64_t e = 1; usual <= kTriedOfFew && e <= kTriedOfFew; ++e) each.insert(e);
    const ShapeFactor factor{ShapeFactor::What::dimension, dimension.name, {}};
    const bool all_are_powers = std::ranges::none_of(wished, [&](std::int64_t extent) {
      ShapeLevel level;
      level.extent = extent;
      return power_in(extent, extent) != extent && is_valid(factor, level);
    });
    for (std::int64_t power = 1; all_are_powers && power <= kMostPower; power *= 2) each.insert(power);
    std::erase_if(each, [&](std::int64_t extent) { return extent < dimension.minimum || extent > dimension.maximum; });
    return each;
  }

  /// Of a dimension without a near end that is no mere count of copies: the most of a few times as many that is valid.
  std::optional<std::int64_t> many_more(const Dimension& dimension, std::int64_t base) const {
    if (dimension.maximum <= kFewAtMost || base == 1) return std::nullopt;
    for (const std::int64_t times : {16, 8, 4}) {
      ProblemRequest request = base_;
      request.dimensions[dimension.name] = times * base;
      if (times * base <= dimension.maximum && valid_problem(kernel_, request)) return times * base;
    }
    return std::nullopt;
  }

  /// Of a quiet dimension that a constraint ends beside the base's others: where. As many are sought as a row has.
  std::optional<std::int64_t> most_beside_base(const Dimension& dimension, std::int64_t base) const {
    const auto is_valid_with = [&](std::int64_t extent) {
      ProblemRequest request = base_;
      request.dimensions[dimension.name] = extent;
      return valid_problem(kernel_, request).has_value();
    };
    std::int64_t valid = base, beyond = std::min(dimension.maximum, kMostSought) + 1;
    if (valid >= beyond || is_valid_with(beyond - 1)) return std::nullopt;
    while (beyond - valid > 1) {
      const std::int64_t between = valid + (beyond - valid) / 2;
      (is_valid_with(between) ? valid : beyond) = between;
    }
    return valid > base ? std::optional(valid) : std::nullopt;
  }

  /// Whether a large one costs nothing: how many keys there are, how far something may be.
  bool is_no_extent(const Dimension& dimension) const {
    ProblemRequest request = base_;
    request.dimensions[dimension.name] = kBeyond16Bits;
    const auto problem = dimension.maximum < kBeyond16Bits ? std::nullopt : valid_problem(kernel_, request);
    return problem && bytes_of_tensors(kernel_.family, *problem) == bytes_of_tensors(kernel_.family, problem_) &&
           flops_of(kernel_.family, *problem) == flops_of(kernel_.family, problem_);
  }

  /// Of the dimension that was added last, once it is known which extents are valid. `each`: goals by themselves.
  void set_goals(const Dimension& dimension, const KernelSteps& steps, const std::vector<ShapeLevel>& wished,
                 const std::set<std::int64_t>& each) {
    const std::set<std::int64_t> alone = extents_alone(steps, packet_of(problem_));
    levels_.alone.back().assign(alone.begin(), alone.end());
    // A part may be as long as a step, and a key longer.
    if (std::ranges::any_of(kernel_.family.tensors, [](const TensorDecl& t) { return !t.partition.empty(); }))
      for (const std::int64_t step : steps.own)
        levels_.alone.back().insert(levels_.alone.back().end(), {step, step + 1});
    std::vector<ShapeLevel>& levels = levels_.factors.back().levels;
    const std::int64_t wide = widest_access(problem_), packet = packet_of(problem_);
    std::int64_t unit = 0;
    for (const ShapeLevel& level : levels) unit = std::gcd(unit, level.extent);
    unit = std::max<std::int64_t>(1, unit);
    std::set<std::string> reached;
    for (ShapeLevel& level : levels) {
      level.whole = level.extent > 0 && level.extent % wide == 0 &&
                    std::ranges::all_of(steps.own, [&](std::int64_t step) { return level.extent % step == 0; });
      level.above = std::ranges::any_of(steps.own,
                                        [&](std::int64_t step) {
                                          return step > unit && level.extent > step && level.extent % step == unit;
                                        }) &&
                    std::ranges::none_of(steps.own, [&](std::int64_t step) { return level.extent < step; });
      level.alone = goals_of_extent(dimension, steps, wide, packet, unit, level.extent);
      if (each.contains(level.extent) && !has_very_few(dimension)) level.alone.push_back(level.text);
      level.kind = level.extent == dimension.minimum
                       ? dimension.name + " at its least"
                       : fmt::format("{} % {}", dimension.name, power_in(level.extent, wide));
      reached.insert(level.alone.begin(), level.alone.end());
    }
    std::set<std::string> lost;
    for (const ShapeLevel& level : wished)
      for (std::string& goal : goals_of_extent(dimension, steps, wide, packet, unit, level.extent))
        if (!reached.contains(goal)) lost.insert(std::move(goal));
    levels_.lost.insert(levels_.lost.end(), lost.begin(), lost.end());
  }

  void add_flag(const Flag& flag) {
    const std::string& asked = base_.flags.at(flag.name);
    const auto level = [&](const std::string& value) {
      const std::string text = flag.name + "=" + value;
      return ShapeLevel{text, 0, value, 0, {text}, false, false, text};
    };
    std::vector<ShapeLevel> wished = {level(asked)};
    for (const std::string& value : flag.values)
      if (value != asked) wished.push_back(level(value));
    add({ShapeFactor::What::flag, flag.name, {}}, wished);
  }

  /// Factors and what is added are also tried as nothing, as one off and negated; any other a little larger and as one,
  /// a small one much smaller and larger too. A fraction is positive: whoever cuts off, rounds down or rounds to the
  /// nearest what is to be rounded up is wrong there.
  void add_scalar(const ScalarDecl& scalar) {
    const double asked = base_.scalars.at(scalar.name);
    // In pairs with other things one fraction is as good as another: two would leave fewer pairs for the dimensions.
    const auto level = [&](double number) {
      const std::string text = fmt::format("{}={:.9g}", scalar.name, number);
      const bool is_fraction = asked == 0 && number != std::trunc(number);
      return ShapeLevel{text, 0, {}, number, {text}, false, false, is_fraction ? scalar.name + " a fraction" : text};
    };
    std::vector<ShapeLevel> wished = {level(asked)};
    const bool is_factor = scalar.default_value == 0 || scalar.default_value == 1;
    std::vector<double> numbers = {asked == 0 ? 1 + kFraction : asked * kFraction};
    numbers.insert(numbers.end(), scalar.also.begin(), scalar.also.end());
    if (asked == 0) numbers.push_back(-kFraction);
    numbers.push_back(1);
    if (is_factor) numbers.insert(numbers.end(), {0, -1, 3});
    if (asked > 0 && asked < kSmallScalar) numbers.insert(numbers.end(), {asked * kMuchLess, asked * kMuchMore});
    for (const double number : numbers)
      if (number != asked) wished.push_back(level(number));
    add({ShapeFactor::What::scalar, scalar.name, {}}, wished);
  }

  /// Of the variants that take a pitch.
  void add_padding() {
    const auto level = [](const RowPadding& padding) {
      const std::string text = "row padding " + padding.text();
      ShapeLevel one{text, 0, {}, 0, {text}, false, false, text};
      one.padding = padding;
      return one;
    };
    std::vector<ShapeLevel> wished = {level(base_.row_padding)};
    using Whole = RowPadding::Whole;
    if (base_.row_padding.bytes == 0 && !kernel_.variant.pitch.empty())
      wished.insert(wished.end(), {level({kRowPadding}), level({kRowPadding, Whole::all}),
                                   level({kRowPadding, Whole::first}), level({kRowPadding, Whole::others})});
    add({ShapeFactor::What::padding, "row padding", {}}, wished);
  }

  const ShapedKernel& kernel_;
  const ProblemRequest& base_;
  ProblemRequest asked_;  ///< the base with the extents asked for
  ProblemRequest whole_;  ///< with those of whole accesses: where extents are asked for to be so together
  ProblemRequest few_;    ///< with quiet ones at their least: rows may be no shorter than what is sought in them
  const Problem problem_;
  ShapeLevels levels_;
};

}  // namespace

bool has_very_few(const Dimension& dimension) {
  return dimension.maximum - dimension.minimum <= kVeryFew;
}

std::int64_t widest_access(const Problem& base) {
  return std::max<std::int64_t>(8, elements_in(base.dtype, 16));
}

ShapeLevels levels_of(const ShapedKernel& kernel, const ProblemRequest& base, const Problem& asked) {
  return LevelCollector(kernel, base, asked).collect();
}

}  // namespace kerlab::session
