#include "verify/culprit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/number.h"
#include "verify/explain.h"
#include "verify/product_terms.h"

namespace kerlab::verify {
namespace {

constexpr std::size_t kLookedAt = 12;
constexpr std::size_t kFewestValues = 3;  // that are different: one number is soon explained

/// Some of them, values that differ first.
std::vector<WrongElement> chosen(std::span<const WrongElement> wrong) {
  std::vector<WrongElement> result;
  std::set<std::uint64_t> values;
  for (const WrongElement& w : wrong)
    if (result.size() < kLookedAt && values.insert(w.bits).second) result.push_back(w);
  for (const WrongElement& w : wrong) {
    const bool known =
        std::any_of(result.begin(), result.end(), [&](const WrongElement& r) { return r.index == w.index; });
    if (result.size() < kLookedAt && !known) result.push_back(w);
  }
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  return result;
}

std::size_t values_of(std::span<const WrongElement> wrong) {
  std::set<std::uint64_t> values;
  for (const WrongElement& w : wrong) values.insert(w.bits);
  return values.size();
}

/// "what belongs 64 columns to the right"; the same steps away for all.
std::string moved(const Tensor& output, std::span<const WrongElement> wrong, const ExpectedLookup& expected) {
  const lab::Format format = lab::format_of(static_cast<lab::u32>(output.dtype));
  const std::int64_t columns = output.shape.empty() ? 1 : output.shape.back();
  const std::int64_t rows = columns > 0 ? output.elements() / columns : 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  const std::int64_t distances[] = {0, 1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512};
  for (const std::int64_t row : distances)
    for (const std::int64_t column : distances)
      for (const int signs : {0, 1, 2, 3}) {
        const std::pair step{(signs & 1) != 0 ? -row : row, (signs & 2) != 0 ? -column : column};
        const bool twice = ((signs & 1) != 0 && row == 0) || ((signs & 2) != 0 && column == 0);
        if (!twice && step != std::pair<std::int64_t, std::int64_t>{}) steps.push_back(step);
      }
  std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
    return std::abs(a.first) + std::abs(a.second) < std::abs(b.first) + std::abs(b.second);
  });
  for (const WrongElement& w : wrong) {
    std::vector<std::int64_t> places;
    std::vector<std::pair<std::int64_t, std::int64_t>> inside, left;
    for (const auto& step : steps) {
      const std::int64_t row = w.index / columns + step.first, column = w.index % columns + step.second;
      if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
      inside.push_back(step);
      places.push_back(row * columns + column);
    }
    const std::vector<double> values = places.empty() ? std::vector<double>{} : expected(places);
    for (std::size_t i = 0; i < inside.size(); ++i)
      if (lab::encode(format, values[i]) == w.bits) left.push_back(inside[i]);
    steps = std::move(left);
    if (steps.empty()) return {};
  }
  const auto [row, column] = steps.front();
  std::string text = "what belongs";
  if (row != 0)
    text += fmt::format(" {} row{} {}", std::abs(row), std::abs(row) > 1 ? "s" : "", row > 0 ? "below" : "above");
  if (column != 0)
    text += fmt::format("{} {} column{} to the {}", row != 0 ? " and" : "", std::abs(column),
                        std::abs(column) > 1 ? "s" : "", column > 0 ? "right" : "left");
  return text;
}

/// "twice what they should", "the negative".
std::string scaled(const Tensor& output, std::span<const WrongElement> wrong) {
  const lab::Format format = lab::format_of(static_cast<lab::u32>(output.dtype));
  constexpr std::pair<double, const char*> kFactors[] = {
      {2, "twice what they should"},       {-1, "the negative of what they should"}, {0.5, "half of what they should"},
      {3, "three times what they should"}, {4, "four times what they should"},       {0, "0 instead of anything"}};
  for (const auto& [factor, text] : kFactors) {
    const bool all = std::all_of(wrong.begin(), wrong.end(), [&, by = factor](const WrongElement& w) {
      return lab::encode(format, by * w.expected) == w.bits || (by == 0 && lab::decode(format, w.bits) == 0);
    });
    if (all) return text;
  }
  return {};
}

}  // namespace

std::string find_culprit(const ProblemPlan& plan, const Recipe& recipe, const Tensor& output,
                         std::span<const WrongElement> wrong, const ExpectedLookup& expected) {
  if (wrong.empty()) return {};
  const std::vector<WrongElement> looked_at = chosen(wrong);
  std::string text = scaled(output, looked_at);
  const bool telling = values_of(looked_at) >= kFewestValues;
  if (text.empty() && telling && !plan.library_gemm.empty() && plan.library_gemm.front().d == output.name)
    text = explain_product(plan, recipe, output, plan.library_gemm.front(), looked_at);
  if (text.empty() && telling) text = moved(output, looked_at, expected);
  if (text.empty()) return {};
  const std::string first = place_in(output, looked_at.front().index);
  if (looked_at.size() == 1) return fmt::format("{}{} holds {}", output.name, first, text);
  return fmt::format("{}{} and {} more looked at hold {}", output.name, first, looked_at.size() - 1, text);
}

}  // namespace kerlab::verify
