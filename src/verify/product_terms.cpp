#include "verify/product_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/number.h"
#include "verify/input/input_value.h"

namespace kerlab::verify {
namespace {

constexpr std::int64_t kMostSteps = 512;  // whose exchanges are tried, each with each
constexpr std::int64_t kLongestSum = std::int64_t{1} << 16;

/// Where the terms of one element come from.
struct Place {
  std::int64_t batch, m, n;
};

Place place_of(const GemmCall& call, std::int64_t element) {
  return {element / (call.m * call.n), element % (call.m * call.n) / call.n, element % call.n};
}
std::int64_t index_in_a(const GemmCall& call, const Place& at, std::int64_t k) {
  return at.batch * call.m * call.k + (call.transpose_a ? k * call.m + at.m : at.m * call.k + k);
}
std::int64_t index_in_b(const GemmCall& call, const Place& at, std::int64_t k) {
  return at.batch * call.k * call.n + (call.transpose_b ? at.n * call.k + k : k * call.n + at.n);
}

/// One wrong element with what the terms up to k sum up to.
struct Explanation {
  const WrongElement* wrong;
  std::vector<double> terms, sums;  ///< sums[k]: of the terms below k
  [[nodiscard]] double sum(std::int64_t begin, std::int64_t end) const {
    return sums[static_cast<std::size_t>(end)] - sums[static_cast<std::size_t>(begin)];
  }
};

class Explanations {
 public:
  Explanations(const Tensor& output, std::int64_t k, std::vector<Explanation> candidates)
      : format_(lab::format_of(static_cast<lab::u32>(output.dtype))), k_(k), candidates_(std::move(candidates)) {}

  [[nodiscard]] std::string find() const {
    for (std::int64_t width = std::int64_t{1} << 15; width >= 1; width /= 2) {
      if (width >= k_) continue;
      for (std::int64_t begin = 0; begin < k_; begin += width) {
        const std::int64_t end = std::min(begin + width, k_);
        if (explains([&](const Explanation& c) { return -c.sum(begin, end); }))
          return "the product without " + range(begin, end);
        if (explains([&](const Explanation& c) { return c.sum(begin, end); }))
          return fmt::format("the product with {} twice", range(begin, end));
      }
    }
    for (std::int64_t at = 1; at < k_; ++at) {
      if (explains([&](const Explanation& c) { return -c.sum(at, k_); })) return "the product without " + range(at, k_);
      if (explains([&](const Explanation& c) { return -c.sum(0, at); })) return "the product without " + range(0, at);
    }
    if (explains([&](const Explanation& c) { return c.sum(0, k_); })) return "the product twice";
    if (explains([&](const Explanation& c) { return -c.sum(0, k_); })) return "all but the product";
    return exchanged();
  }

 private:
  template <typename Difference>
  [[nodiscard]] bool explains(const Difference& difference) const {
    return std::all_of(candidates_.begin(), candidates_.end(), [&](const Explanation& c) {
      const double value = c.wrong->expected + difference(c);
      const lab::u64 bits = lab::encode(format_, value);
      return bits == c.wrong->bits || (value == 0 && lab::decode(format_, c.wrong->bits) == 0);
    });
  }
  [[nodiscard]] static std::string range(std::int64_t begin, std::int64_t end) {
    return end == begin + 1 ? fmt::format("k = {}", begin) : fmt::format("k = {}..{}", begin, end - 1);
  }
  /// A step of the loop saw another step's data.
  [[nodiscard]] std::string exchanged() const {
    for (const std::int64_t width : {256, 128, 64, 32, 16, 8}) {
      const std::int64_t steps = (k_ + width - 1) / width;
      if (steps < 2 || steps > kMostSteps) continue;
      for (std::int64_t to = 0; to < steps; ++to) {
        for (std::int64_t from = 0; from < steps; ++from) {
          if (from == to) continue;
          const std::int64_t a = to * width, b = from * width;
          const std::int64_t length = std::min({width, k_ - a, k_ - b});
          if (explains([&](const Explanation& c) { return c.sum(b, b + length) - c.sum(a, std::min(a + width, k_)); }))
            return fmt::format("the product with {} in place of {}", range(b, b + length),
                               range(a, std::min(a + width, k_)));
        }
      }
    }
    return {};
  }

  lab::Format format_;
  std::int64_t k_;
  std::vector<Explanation> candidates_;
};

/// The k at which A's row is not 0, if it is one alone.
std::optional<std::int64_t> only_k(const InputValues& a, const GemmCall& call, const Place& at) {
  std::optional<std::int64_t> only;
  for (std::int64_t k = 0; k < call.k; ++k) {
    if (a.at(index_in_a(call, at, k)) == 0) continue;
    if (only) return std::nullopt;
    only = k;
  }
  return only;
}

/// One-hot rows of A pick one element of B each: which did the wrong ones pick instead? The same steps away for all.
std::string other_element(const ProblemPlan& plan, const Recipe& recipe, const Tensor& output, const GemmCall& call,
                          std::span<const WrongElement> wrong) {
  const InputValues a(plan, recipe, call.a), b(plan, recipe, call.b);
  const lab::Format format = lab::format_of(static_cast<lab::u32>(output.dtype));
  std::vector<std::pair<Place, std::int64_t>> picked;
  for (const WrongElement& w : wrong) {
    const Place at = place_of(call, w.index);
    const auto k = only_k(a, call, at);
    if (!k) return {};
    picked.emplace_back(at, *k);
  }
  const auto holds = [&](std::size_t i, std::int64_t k, std::int64_t n) {
    if (k < 0 || k >= call.k || n < 0 || n >= call.n) return false;
    const Place at{picked[i].first.batch, picked[i].first.m, n};
    return lab::encode(format, call.alpha * b.at(index_in_b(call, at, k))) == wrong[i].bits;
  };
  // Those that explain the first, nearest first; then whichever explains the others too.
  std::vector<std::pair<std::int64_t, std::pair<std::int64_t, std::int64_t>>> steps;
  for (std::int64_t k = 0; k < call.k; ++k) {
    for (std::int64_t n = 0; n < call.n; ++n) {
      const std::int64_t dk = k - picked[0].second, dn = n - picked[0].first.n;
      if ((dk != 0 || dn != 0) && holds(0, k, n)) steps.push_back({std::abs(dk) + std::abs(dn), {dk, dn}});
    }
  }
  std::sort(steps.begin(), steps.end());
  for (const auto& [distance, step] : steps) {
    bool all = true;
    for (std::size_t i = 1; all && i < wrong.size(); ++i)
      all = holds(i, picked[i].second + step.first, picked[i].first.n + step.second);
    if (!all) continue;
    const std::int64_t k = picked[0].second + step.first, n = picked[0].first.n + step.second;
    return fmt::format("element {} of {}, not {}",
                       call.transpose_b ? fmt::format("[{}, {}]", n, k) : fmt::format("[{}, {}]", k, n), call.b,
                       call.transpose_b ? fmt::format("[{}, {}]", picked[0].first.n, picked[0].second)
                                        : fmt::format("[{}, {}]", picked[0].second, picked[0].first.n));
  }
  return {};
}

}  // namespace

std::vector<double> product_terms(const ProblemPlan& plan, const Recipe& recipe, const GemmCall& call,
                                  std::int64_t element) {
  const InputValues a(plan, recipe, call.a), b(plan, recipe, call.b);
  const Place at = place_of(call, element);
  std::vector<double> terms;
  for (std::int64_t k = 0; k < call.k; ++k)
    terms.push_back(call.alpha * a.at(index_in_a(call, at, k)) * b.at(index_in_b(call, at, k)));
  return terms;
}

std::string explain_product(const ProblemPlan& plan, const Recipe& recipe, const Tensor& output, const GemmCall& call,
                            std::span<const WrongElement> wrong) {
  if (call.k < 1 || call.k > kLongestSum || wrong.empty()) return {};
  std::vector<Explanation> candidates;
  for (const WrongElement& element : wrong) {
    Explanation& c =
        candidates.emplace_back(Explanation{&element, product_terms(plan, recipe, call, element.index), {0}});
    for (const double term : c.terms) c.sums.push_back(c.sums.back() + term);
  }
  if (std::string text = other_element(plan, recipe, output, call, wrong); !text.empty()) return text;
  return Explanations(output, call.k, std::move(candidates)).find();
}

}  // namespace kerlab::verify
