#include "verify/survey.h"

#include <fmt/format.h>

#include "verify/explain.h"

namespace kerlab::verify {
namespace {

constexpr std::size_t kMostRunsListed = 8, kMostRunsKept = 256;

std::uint64_t repeated(std::uint32_t pattern, int bits) {
  const std::uint64_t twice = std::uint64_t{pattern} << 32 | pattern;
  return bits == 64 ? twice : twice & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

Survey::Survey(const ProblemPlan& plan, const Recipe& recipe, const Tensor& output, std::uint32_t poison)
    : plan_(plan),
      recipe_(recipe),
      output_(output),
      format_(lab::format_of(static_cast<lab::u32>(output.dtype))),
      poison_(repeated(poison, lab::bits_in(format_))),
      map_(output) {}

void Survey::see(std::int64_t element, std::uint64_t bits, double expected, const lab::Verdict& verdict) {
  map_.see(element, !verdict.passed);
  if (verdict.passed) return;
  ++wrong_;
  poisoned_ += bits == poison_ && output_.role == Role::output ? 1 : 0;
  if (first_.size() < kMostRunsListed)
    first_.push_back({element, place_in(output_, element), lab::decode(format_, bits), expected, verdict.tolerance});
  if (elements_.size() < kMostRunsKept) elements_.push_back({element, bits, expected});
}

void Survey::tell(RecipeReport& report, const ExpectedLookup& expected) const {
  if (wrong_ == 0) return;
  report.first = first_;
  report.picture = map_.picture();
  report.scale = map_.scale();
  report.pattern = map_.sentence();
  if (poisoned_ == wrong_) {
    report.cause = Cause::unwritten;
    report.culprit = fmt::format("nobody wrote {}: {} what was there before the run", wrong_ == 1 ? "it" : "them",
                                 wrong_ == 1 ? "it holds" : "they hold");
  } else if (recipe_.exact) {
    report.culprit = find_culprit(plan_, recipe_, output_, elements_, expected);
  }
}

}  // namespace kerlab::verify
