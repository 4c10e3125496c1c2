#include "spec/space/space_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/interrupt.h"
#include "base/random.h"

namespace kerlab::spec {
namespace {

constexpr std::size_t kMostRemembered = 4'000'000;
constexpr std::uint64_t kStepsBetweenLooks = 1'000'000;  // milliseconds
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kMost : result;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > kMost - b ? kMost : a + b;
}

/// Parameters in the order in which constraints can be evaluated first: always the constraint whose missing parameters
/// have the fewest combinations.
std::vector<std::size_t> order_of(const ConstraintProgram& program, std::size_t conditions) {
  const std::vector<Parameter>& parameters = program.variant().parameters;
  std::vector<bool> placed(parameters.size());
  std::vector<std::size_t> order;
  std::vector<std::vector<std::size_t>> missing(
      conditions);  // parameters that a condition needs and that are not placed
  for (std::size_t c = 0; c < conditions; ++c)
    for (std::size_t p = 0; p < parameters.size(); ++p)
      if (program.needs_of(c).parameters[p]) missing[c].push_back(p);
  const auto combinations = [&](const std::vector<std::size_t>& some) {
    std::uint64_t count = 1;
    for (const std::size_t p : some) count = product(count, parameters[p].values.size());
    return count;
  };
  while (true) {
    std::size_t best = conditions;
    std::uint64_t fewest = 0;
    for (std::size_t c = 0; c < conditions; ++c) {
      if (missing[c].empty()) continue;
      const std::uint64_t count = combinations(missing[c]);
      if (best != conditions && count >= fewest) continue;
      best = c;
      fewest = count;
    }
    if (best == conditions) break;
    for (const std::size_t p : missing[best]) {
      placed[p] = true;
      order.push_back(p);
    }
    for (std::vector<std::size_t>& some : missing) std::erase_if(some, [&](std::size_t p) { return placed[p]; });
  }
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if (!placed[p]) order.push_back(p);
  return order;
}

}  // namespace

SpaceTree::SpaceTree(ConstraintProgram program, std::size_t conditions, std::uint64_t most_steps)
    : program_(std::move(program)),
      parameters_(&program_.variant().parameters),
      conditions_(conditions),
      most_steps_(most_steps) {
  for (const std::size_t p : order_of(program_, conditions)) levels_.emplace_back().parameter = p;
  below_.assign(levels_.size() + 1, 1);
  for (std::size_t l = levels_.size(); l-- > 0;)
    below_[l] = product(below_[l + 1], (*parameters_)[levels_[l].parameter].values.size());
  digits_.resize(levels_.size());
  place_checks();
  find_live();
}

/// Every condition, and every derived value that one needs, at the first level where its parameters have values.
void SpaceTree::place_checks() {
  std::vector<std::size_t> place(levels_.size());
  for (std::size_t l = 0; l < levels_.size(); ++l) place[levels_[l].parameter] = l + 1;
  const auto level_of = [&](const Needs& needs) {
    std::size_t level = 0;
    for (std::size_t p = 0; p < place.size(); ++p)
      if (needs.parameters[p]) level = std::max(level, place[p]);
    return level;
  };
  std::vector<bool> needed(program_.variant().derived.size());
  for (std::size_t c = 0; c < conditions_; ++c) {
    const Needs& needs = program_.needs_of(c);
    const std::size_t level = level_of(needs);
    (level == 0 ? first_conditions_ : levels_[level - 1].conditions).push_back(c);
    checked_ = std::max(checked_, level);
    for (std::size_t d = 0; d < needed.size(); ++d) needed[d] = needed[d] || needs.derived[d];
  }
  for (std::size_t d = 0; d < needed.size(); ++d) {
    if (!needed[d]) continue;
    const std::size_t level = level_of(program_.needs_of_derived(d));
    (level == 0 ? first_derived_ : levels_[level - 1].derived).push_back(d);
  }
}

/// A level remembers counts where fewer combinations of values matter below it than there are above it.
void SpaceTree::find_live() {
  std::vector<bool> needed(parameters_->size());
  for (std::size_t l = checked_; l-- > 0;) {
    Level& level = levels_[l];
    for (const std::size_t c : level.conditions)
      for (std::size_t p = 0; p < needed.size(); ++p) needed[p] = needed[p] || program_.needs_of(c).parameters[p];
    std::uint64_t combinations = 1;
    for (std::size_t above = 0; above < l; ++above) {
      if (!needed[levels_[above].parameter]) continue;
      level.live.push_back(levels_[above].parameter);
      combinations = product(combinations, (*parameters_)[levels_[above].parameter].values.size());
    }
    level.remembers = level.live.size() < l && combinations < kMost;
  }
}

void SpaceTree::fail(const std::string& what) const {
  throw SpecError(parameters_->empty() ? SourceLocation{} : parameters_->front().where, what);
}

void SpaceTree::take(std::size_t steps) {
  steps_ += steps;
  if (steps_ > most_steps_)
    fail(
        "too many combinations to look at: constraints over fewer parameters would cut the space earlier, and fewer "
        "values or variants make it smaller");
  if (steps_ < next_look_) return;
  next_look_ = steps_ + kStepsBetweenLooks;
  end_interrupted_wait();
}

/// False: a condition does not hold. One that cannot be evaluated counts as holding, and is `unknown`: an earlier
/// constraint may guard it (Z != 0, then M / Z < 5), so that it is an error only if something valid comes of it.
bool SpaceTree::enter(const std::vector<std::size_t>& derived, const std::vector<std::size_t>& conditions,
                      std::optional<std::size_t>& unknown) {
  for (const std::size_t d : derived) {
    take(program_.steps_of_derived(d));
    program_.compute(d);
  }
  for (const std::size_t c : conditions) {
    take(program_.steps_of(c));
    const ConstraintProgram::Answer answer = program_.holds(c);
    if (answer == ConstraintProgram::Answer::no) return false;
    if (answer == ConstraintProgram::Answer::unknown && !unknown) unknown = c;
  }
  return true;
}

bool SpaceTree::set(std::size_t level, std::size_t digit, std::optional<std::size_t>& unknown) {
  take(1);
  const std::size_t p = levels_[level].parameter;
  digits_[p] = static_cast<std::uint32_t>(digit);
  program_.set(p, (*parameters_)[p].values[digit]);
  return enter(levels_[level].derived, levels_[level].conditions, unknown);
}

std::uint64_t SpaceTree::key(const Level& level) const {
  std::uint64_t key = 0;
  for (const std::size_t p : level.live) key = key * (*parameters_)[p].values.size() + digits_[p];
  return key;
}

std::uint64_t SpaceTree::count() {
  std::optional<std::size_t> unknown;
  if (!enter(first_derived_, first_conditions_, unknown)) return 0;
  const std::uint64_t count = count_below(0);
  if (unknown && count > 0) program_.throw_failure(*unknown);
  return count;
}

std::uint64_t SpaceTree::count_below(std::size_t l) {
  if (l >= checked_) return below_[l];
  Level& level = levels_[l];
  if (!level.remembers) return count_values(l);
  const std::uint64_t at = key(level);
  if (const auto known = level.counts.find(at); known != level.counts.end()) return known->second;
  const std::uint64_t count = count_values(l);
  if (++remembered_ <= kMostRemembered) level.counts.emplace(at, count);
  return count;
}

std::uint64_t SpaceTree::count_values(std::size_t l) {
  std::uint64_t total = 0;
  const std::size_t values = (*parameters_)[levels_[l].parameter].values.size();
  for (std::size_t digit = 0; digit < values; ++digit) {
    std::optional<std::size_t> unknown;
    if (!set(l, digit, unknown)) continue;
    const std::uint64_t count = count_below(l + 1);
    if (unknown && count > 0) program_.throw_failure(*unknown);
    total = sum(total, count);
  }
  return total;
}

std::optional<std::vector<Configuration>> SpaceTree::all(std::size_t most) {
  found_.clear();
  std::optional<std::size_t> unknown;
  if (!enter(first_derived_, first_conditions_, unknown)) return std::vector<Configuration>{};
  if (!walk(0, most)) return std::nullopt;
  if (unknown && !found_.empty()) program_.throw_failure(*unknown);
  return take_found();
}

/// False: more than `most`.
bool SpaceTree::walk(std::size_t l, std::size_t most) {
  if (l == levels_.size()) {
    if (found_.size() == most * std::max<std::size_t>(1, levels_.size())) return false;
    found_.insert(found_.end(), digits_.begin(), digits_.end());
    return true;
  }
  const std::size_t values = (*parameters_)[levels_[l].parameter].values.size();
  for (std::size_t digit = 0; digit < values; ++digit) {
    std::optional<std::size_t> unknown;
    if (!set(l, digit, unknown)) continue;
    const std::size_t before = found_.size();
    if (!walk(l + 1, most)) return false;
    if (unknown && found_.size() > before) program_.throw_failure(*unknown);
  }
  return true;
}

std::vector<Configuration> SpaceTree::some(std::size_t wanted, std::uint64_t seed) {
  const std::uint64_t valid = count();
  if (valid == kMost) fail("more than 2^64 valid configurations");
  ordinals_.clear();
  while (ordinals_.size() < std::min<std::uint64_t>(wanted, valid)) {
    for (std::size_t i = ordinals_.size(); i < std::min<std::uint64_t>(wanted, valid); ++i)
      ordinals_.push_back(random_below(seed, valid));
    std::sort(ordinals_.begin(), ordinals_.end());
    ordinals_.erase(std::unique(ordinals_.begin(), ordinals_.end()), ordinals_.end());
  }
  next_ = 0;
  ordinal_ = 0;
  found_.clear();
  std::optional<std::size_t> unknown;
  if (enter(first_derived_, first_conditions_, unknown)) pick(0);
  return take_found();
}

std::optional<std::uint64_t> SpaceTree::known_count(std::size_t l) const {
  if (l >= checked_) return below_[l];
  const Level& level = levels_[l];
  if (!level.remembers) return std::nullopt;
  const auto known = level.counts.find(key(level));
  return known == level.counts.end() ? std::nullopt : std::optional(known->second);
}

bool SpaceTree::wanted_within(std::uint64_t count) const {
  return next_ < ordinals_.size() && ordinals_[next_] - ordinal_ < count;
}

/// Walks past the subtrees that hold none of the wanted ordinals, without entering those whose counts are known.
void SpaceTree::pick(std::size_t l) {
  if (next_ == ordinals_.size()) return;
  if (const auto count = known_count(l); count && !wanted_within(*count)) {
    ordinal_ += *count;
    return;
  }
  if (l >= checked_) return pick_unchecked(l);
  const std::size_t values = (*parameters_)[levels_[l].parameter].values.size();
  for (std::size_t digit = 0; digit < values; ++digit) {
    std::optional<std::size_t> unknown;
    if (set(l, digit, unknown)) pick(l + 1);
  }
}

/// Everything below is valid: an ordinal's digits follow by division.
void SpaceTree::pick_unchecked(std::size_t l) {
  for (; wanted_within(below_[l]); ++next_) {
    std::uint64_t rest = ordinals_[next_] - ordinal_;
    for (std::size_t at = l; at < levels_.size(); ++at) {
      digits_[levels_[at].parameter] = static_cast<std::uint32_t>(rest / below_[at + 1]);
      rest %= below_[at + 1];
    }
    found_.insert(found_.end(), digits_.begin(), digits_.end());
  }
  ordinal_ += below_[l];
}

/// In the order of the files.
std::vector<Configuration> SpaceTree::take_found() {
  const std::size_t width = levels_.size();
  if (width == 0) return {Configuration{}};
  std::vector<std::uint32_t> order(found_.size() / width);
  std::iota(order.begin(), order.end(), 0U);
  const auto digits = [&](std::uint32_t at) { return found_.data() + at * width; };
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::lexicographical_compare(digits(a), digits(a) + width, digits(b), digits(b) + width);
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
  std::vector<Configuration> configurations(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    configurations[i].values.resize(width);
    for (std::size_t p = 0; p < width; ++p) configurations[i].values[p] = (*parameters_)[p].values[digits(order[i])[p]];
  }
  found_ = {};
  return configurations;
}

}  // namespace kerlab::spec
