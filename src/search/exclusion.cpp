#include "search/exclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>

#include "search/exclusion_form.h"

namespace kerlab::search {

namespace {

constexpr std::size_t kMostExclusions = 4;
constexpr std::size_t kMostLiterals = 400;     // in conjunctions; those that pick the most failures per healthy one
constexpr std::int64_t kLargestDivisor = 128;  // a power of two
constexpr double kClasses = 6;

/// Some of the configurations, a bit each.
using Bits = std::vector<std::uint64_t>;

std::size_t count(const Bits& bits) {
  std::size_t total = 0;
  for (const std::uint64_t word : bits) total += static_cast<std::size_t>(std::popcount(word));
  return total;
}

/// Both: of the failed and of the healthy configurations.
struct Selection {
  Bits failed, healthy;
};

void intersect(const Selection& a, const Selection& b, Selection& both) {
  for (std::size_t i = 0; i < a.failed.size(); ++i) both.failed[i] = a.failed[i] & b.failed[i];
  for (std::size_t i = 0; i < a.healthy.size(); ++i) both.healthy[i] = a.healthy[i] & b.healthy[i];
}

bool any_of_both(const Bits& a, const Bits& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if ((a[i] & b[i]) != 0) return true;
  return false;
}

std::size_t count_of_both(const Bits& a, const Bits& b) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += static_cast<std::size_t>(std::popcount(a[i] & b[i]));
  return total;
}

template <typename Holds>
Bits bits_of(const std::vector<std::int64_t>& values, Holds holds) {
  Bits result((values.size() + 63) / 64, 0);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (holds(values[i])) result[i / 64] |= std::uint64_t{1} << (i % 64);
  return result;
}

/// A comparison that is true of what fails; `allowed` is its contrary.
struct Literal {
  std::size_t parameter = 0;
  bool allows_above = false;  ///< `allowed` is "NAME > value"
  std::string allowed;
  Selection selected;
  std::size_t failed = 0, healthy = 0;
};

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

Columns columns_of(const ExclusionData& data, const std::vector<std::vector<std::int64_t>>& rows) {
  Columns columns(data.parameters.size());
  for (const auto& row : rows)
    for (std::size_t p = 0; p < columns.size(); ++p) columns[p].push_back(row[p]);
  return columns;
}

/// One round: the best predicate for the failures given.
class Search {
 public:
  explicit Search(const ExclusionData& data)
      : data_(data), failed_(columns_of(data, data.failed)), healthy_(columns_of(data, data.healthy)) {}

  struct Found {
    std::string allowed;
    Bits failed;
    double log_chance = 0;
  };

  std::optional<Found> best() {
    make_literals();
    try_singles();
    try_forms(forms_of_two(sizes()));
    try_pairs();
    try_forms(forms_of_three(sizes()));
    try_triples();
    try_forms(forms_of_four(sizes()));
    if (!best_ || best_->log_chance > std::log(kMostChance)) return {};
    return best_;
  }

 private:
  [[nodiscard]] double log_chance(std::size_t picked, double tried) const {
    const double f = static_cast<double>(data_.failed.size()), n = f + static_cast<double>(data_.healthy.size());
    const double s = static_cast<double>(picked);
    return std::min(0.0, log_choose(f, s) - log_choose(n, s) + std::log(tried * kClasses));
  }

  /// The fewest failures that a predicate of a class must pick to be better than the best so far.
  [[nodiscard]] std::size_t worthwhile(double tried) const {
    const double at_most = best_ ? std::min(best_->log_chance, std::log(kMostChance)) : std::log(kMostChance);
    std::size_t low = kFewestAlike, high = data_.failed.size() + 1;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (log_chance(middle, tried) <= at_most) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  void consider(std::size_t picked, double tried, std::string allowed, Bits failed) {
    const double chance = log_chance(picked, tried);
    if (!best_ || chance < best_->log_chance - 1e-9) best_ = Found{std::move(allowed), std::move(failed), chance};
  }

  template <typename Holds>
  void add_literal(std::size_t parameter, std::string_view op, std::int64_t value, Holds holds) {
    Literal literal{parameter, op == ">", fmt::format("{} {} {}", data_.parameters[parameter], op, value), {}, 0, 0};
    literal.selected = {bits_of(failed_[parameter], holds), bits_of(healthy_[parameter], holds)};
    literal.failed = count(literal.selected.failed);
    literal.healthy = count(literal.selected.healthy);
    ++tried_literals_;
    if (literal.failed < kFewestAlike) return;
    if (!seen_.insert({literal.selected.failed, literal.selected.healthy}).second) return;
    literals_.push_back(std::move(literal));
  }

  /// Comparisons of one parameter, the most natural first: of equal ones the first is kept.
  void make_literals() {
    for (std::size_t p = 0; p < data_.parameters.size(); ++p) {
      const std::set<std::int64_t> failing(failed_[p].begin(), failed_[p].end()), values = values_of(p);
      if (values.size() < 2) continue;
      for (const std::int64_t v : failing) {
        if (v != *values.begin()) add_literal(p, "<", v, [v](std::int64_t x) { return x >= v; });
        if (v != *values.rbegin()) add_literal(p, ">", v, [v](std::int64_t x) { return x <= v; });
      }
      if (values.size() == 2) continue;  // the comparisons say it all
      for (const std::int64_t v : values) {
        add_literal(p, "!=", v, [v](std::int64_t x) { return x == v; });
        add_literal(p, "==", v, [v](std::int64_t x) { return x != v; });
      }
      for (std::int64_t d = 2; d <= std::min(kLargestDivisor, *values.rbegin()); d *= 2) {
        if (std::all_of(values.begin(), values.end(), [d](std::int64_t x) { return x % d == 0; })) continue;
        literal_of_divisor(p, d);
      }
    }
  }

  void literal_of_divisor(std::size_t p, std::int64_t d) {
    add_literal(p, fmt::format("% {} ==", d), 0, [d](std::int64_t x) { return x % d != 0; });
  }

  void try_singles() {
    for (const Literal& literal : literals_) {
      if (literal.healthy > 0) continue;
      consider(literal.failed, static_cast<double>(tried_literals_), plain(literal), literal.selected.failed);
    }
    // Conjunctions are made of the most telling ones.
    const auto telling = [](const Literal& a, const Literal& b) {
      return a.failed * (b.healthy + 1) > b.failed * (a.healthy + 1);
    };
    std::stable_sort(literals_.begin(), literals_.end(), telling);
    if (literals_.size() > kMostLiterals) literals_.resize(kMostLiterals);
    std::erase_if(literals_, [](const Literal& literal) { return literal.healthy == 0; });  // more adds nothing
  }

  /// A switch reads better by its values: "DB == 0" than "DB < 1".
  [[nodiscard]] std::string plain(const Literal& literal) const {
    const std::set<std::int64_t> values = values_of(literal.parameter);
    if (values != std::set<std::int64_t>{0, 1}) return literal.allowed;
    return fmt::format("{} == {}", data_.parameters[literal.parameter], literal.allows_above ? 1 : 0);
  }

  void try_pairs() {
    const double n = static_cast<double>(tried_literals_);
    const double tried = n * n / 2;
    std::size_t enough = worthwhile(tried);
    for (std::size_t a = 0; a < literals_.size(); ++a) {
      if (literals_[a].failed < enough) continue;
      for (std::size_t b = a + 1; b < literals_.size(); ++b) {
        const Selection &of_a = literals_[a].selected, &of_b = literals_[b].selected;
        if (literals_[b].failed < enough || literals_[a].parameter == literals_[b].parameter) continue;
        if (any_of_both(of_a.healthy, of_b.healthy)) continue;
        const std::size_t picked = count_of_both(of_a.failed, of_b.failed);
        if (picked < enough) continue;
        Selection both = of_a;
        intersect(of_a, of_b, both);
        consider(picked, tried, any({a, b}), std::move(both.failed));
        enough = worthwhile(tried);
      }
    }
  }

  void try_triples() {
    const double n = static_cast<double>(tried_literals_);
    const double tried = n * n * n / 6;
    std::size_t enough = worthwhile(tried);
    if (literals_.empty()) return;
    Selection both = literals_.front().selected;
    for (std::size_t a = 0; a < literals_.size(); ++a) {
      if (literals_[a].failed < enough) continue;
      for (std::size_t b = a + 1; b < literals_.size(); ++b) {
        if (literals_[b].failed < enough || literals_[a].parameter == literals_[b].parameter) continue;
        if (count_of_both(literals_[a].selected.failed, literals_[b].selected.failed) < enough) continue;
        intersect(literals_[a].selected, literals_[b].selected, both);
        for (std::size_t c = b + 1; c < literals_.size(); ++c) {
          const Literal& third = literals_[c];
          if (third.failed < enough || any_of_both(both.healthy, third.selected.healthy)) continue;
          const std::size_t picked = count_of_both(both.failed, third.selected.failed);
          if (picked < enough) continue;
          Selection all = both;
          intersect(both, third.selected, all);
          consider(picked, tried, any({a, b, c}), std::move(all.failed));
          enough = worthwhile(tried);
        }
      }
    }
  }

  /// "BM != 256 || STAGES < 5", in the parameters' order.
  [[nodiscard]] std::string any(std::vector<std::size_t> parts) const {
    std::sort(parts.begin(), parts.end(),
              [&](std::size_t a, std::size_t b) { return literals_[a].parameter < literals_[b].parameter; });
    std::vector<std::string> texts;
    for (const std::size_t part : parts) texts.push_back(plain(literals_[part]));
    return fmt::format("{}", fmt::join(texts, " || "));
  }

  [[nodiscard]] std::set<std::int64_t> values_of(std::size_t parameter) const {
    std::set<std::int64_t> values(failed_[parameter].begin(), failed_[parameter].end());
    values.insert(healthy_[parameter].begin(), healthy_[parameter].end());
    return values;
  }

  /// Parameters that look like sizes: at least two values, from 1 to kLargestSize.
  [[nodiscard]] std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> found;
    for (std::size_t p = 0; p < data_.parameters.size(); ++p) {
      const std::set<std::int64_t> values = values_of(p);
      if (values.size() >= 2 && *values.begin() > 0 && *values.rbegin() <= kLargestSize) found.push_back(p);
    }
    return found;
  }

  void try_forms(const std::vector<ExclusionForm>& forms) {
    const double tried = 2 * static_cast<double>(forms.size());  // too much, too little
    std::vector<std::int64_t> failed, healthy;
    for (const ExclusionForm& form : forms) {
      form.values(failed_, failed);
      form.values(healthy_, healthy);
      const std::optional<FormBound> bound = best_bound(failed, healthy);
      if (!bound || bound->picked < kFewestAlike) continue;
      consider(bound->picked, tried, form.text(data_.parameters, *bound),
               bits_of(failed, [&](std::int64_t value) { return bound->excludes(value); }));
    }
  }

  const ExclusionData& data_;
  Columns failed_, healthy_;
  std::vector<Literal> literals_;
  std::set<std::pair<Bits, Bits>> seen_;
  std::size_t tried_literals_ = 0;
  std::optional<Found> best_;
};

}  // namespace

std::vector<Exclusion> find_exclusions(const ExclusionData& data) {
  std::vector<Exclusion> exclusions;
  ExclusionData left = data;
  while (left.failed.size() >= kFewestAlike && !left.healthy.empty() && exclusions.size() < kMostExclusions) {
    const auto found = Search(left).best();
    if (!found) break;
    exclusions.push_back({found->allowed, count(found->failed), std::exp(found->log_chance)});
    std::size_t at = 0;
    std::erase_if(left.failed, [&](const std::vector<std::int64_t>&) {
      const std::size_t i = at++;
      return (found->failed[i / 64] >> (i % 64) & 1) != 0;
    });
  }
  return exclusions;
}

}  // namespace kerlab::search
