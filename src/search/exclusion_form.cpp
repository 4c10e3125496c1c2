#include "search/exclusion_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kerlab::search {

namespace {

constexpr std::size_t kMostInFours = 8;

/// The number in [low, high] with the most zeros at its end, in base 2; of several the largest.
std::int64_t roundest(std::int64_t low, std::int64_t high) {
  for (std::int64_t unit = std::int64_t{1} << 62; unit > 1; unit /= 2) {
    const std::int64_t multiple = high / unit * unit;
    if (multiple >= low && multiple > 0) return multiple;
  }
  return high;
}

std::string product(const std::vector<std::string>& parameters, const std::vector<std::size_t>& factors) {
  std::vector<std::string> names;
  for (const std::size_t factor : factors) names.push_back(parameters[factor]);
  return fmt::format("{}", fmt::join(names, " * "));
}

}  // namespace

void ExclusionForm::values(const Columns& columns, std::vector<std::int64_t>& result) const {
  result.assign(columns.front().size(), added.empty() ? 1 : 0);
  for (const std::size_t term : added)
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += columns[term][i];
  for (const std::size_t factor : factors)
    for (std::size_t i = 0; i < result.size(); ++i) result[i] *= columns[factor][i];
  for (const std::size_t divisor : divisors) {  // one after the other rounds down to the same
    // What is divided is a product of two at most: 32 bits hold it, and divide in a quarter of the time.
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<std::uint32_t>(result[i]) / static_cast<std::uint32_t>(columns[divisor][i]);
  }
}

std::string ExclusionForm::text(const std::vector<std::string>& parameters, const FormBound& bound) const {
  std::string result;
  if (!added.empty()) {
    std::vector<std::string> names;
    for (const std::size_t term : added) names.push_back(parameters[term]);
    result = fmt::format("{}", fmt::join(names, " + "));
    if (!factors.empty()) result = "(" + result + ") * ";
  }
  result += product(parameters, factors);
  if (!divisors.empty()) {
    const std::string under = product(parameters, divisors);
    result += " / " + (divisors.size() > 1 ? "(" + under + ")" : under);
  }
  return fmt::format("{} {} {}", result, bound.above ? "<=" : ">=", bound.last_allowed);
}

std::vector<ExclusionForm> forms_of_two(const std::vector<std::size_t>& sizes) {
  std::vector<ExclusionForm> forms;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      forms.push_back({{}, {sizes[i], sizes[j]}, {}});
      forms.push_back({{sizes[i], sizes[j]}, {}, {}});
      forms.push_back({{}, {sizes[i]}, {sizes[j]}});
      forms.push_back({{}, {sizes[j]}, {sizes[i]}});
    }
  }
  return forms;
}

std::vector<ExclusionForm> forms_of_three(const std::vector<std::size_t>& sizes) {
  std::vector<ExclusionForm> forms;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (k > j) forms.push_back({{}, {sizes[i], sizes[j], sizes[k]}, {}});
        if (k != i && k != j) forms.push_back({{sizes[i], sizes[j]}, {sizes[k]}, {}});
      }
    }
  }
  return forms;
}

std::vector<ExclusionForm> forms_of_four(std::vector<std::size_t> sizes) {
  if (sizes.size() > kMostInFours) sizes.resize(kMostInFours);
  std::vector<ExclusionForm> forms;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        for (std::size_t l = k + 1; l < sizes.size(); ++l) {
          if (k == i || k == j || l == i || l == j) continue;
          forms.push_back({{}, {sizes[i], sizes[j]}, {sizes[k], sizes[l]}});
          forms.push_back({{sizes[i], sizes[j]}, {sizes[k], sizes[l]}, {}});
        }
      }
    }
  }
  return forms;
}

std::optional<FormBound> best_bound(const std::vector<std::int64_t>& failed, const std::vector<std::int64_t>& healthy) {
  if (failed.empty() || healthy.empty()) return {};
  const auto [least, most] = std::minmax_element(healthy.begin(), healthy.end());
  std::size_t above = 0, below = 0;
  std::int64_t first_above = std::numeric_limits<std::int64_t>::max(), first_below = 0;  // nearest to the healthy ones
  for (const std::int64_t value : failed) {
    if (value > *most) {
      ++above;
      first_above = std::min(first_above, value);
    } else if (value < *least) {
      ++below;
      first_below = std::max(first_below, value);
    }
  }
  if (above == 0 && below == 0) return {};
  if (above >= below) return FormBound{true, roundest(*most, first_above - 1), above};
  return FormBound{false, roundest(first_below + 1, *least), below};
}

}  // namespace kerlab::search
