#include "verify/second_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "verify/check.h"
#include "verify/compare.h"
#include "verify/element_bits.h"
#include "verify/normwise.h"
#include "verify/survey.h"

namespace kerlab::verify {
namespace {

constexpr int kMostRuns = 10;          // until a fault shows again
constexpr std::size_t kMostLooks = 3;  // outputs: the others are told by their numbers
constexpr std::int64_t kChunk = std::int64_t{1} << 22,
                       kMostSurveyed = std::int64_t{1} << 24;  // elements: about a second

std::vector<std::byte> fetch(Device& device, DevicePtr from, std::int64_t first, std::int64_t count, int bytes) {
  std::vector<std::byte> raw(static_cast<std::size_t>(count * bytes));
  device.copy_out(raw, from + static_cast<DevicePtr>(first * bytes));
  return raw;
}

double number(const std::vector<std::byte>& raw, std::size_t i, bool is_float) {
  if (is_float) {
    float value = 0;
    std::memcpy(&value, raw.data() + i * sizeof value, sizeof value);
    return value;
  }
  double value = 0;
  std::memcpy(&value, raw.data() + i * sizeof value, sizeof value);
  return value;
}

/// Of a large output those around the worst element, from a whole chunk on.
std::int64_t first_surveyed(std::int64_t elements, std::int64_t worst) {
  if (elements <= kMostSurveyed) return 0;
  return std::max(std::int64_t{0}, worst - kMostSurveyed / 2) / kChunk * kChunk;
}

void survey_around(std::int64_t worst, ProblemData& data, const Compared& compared, Survey& survey) {
  const Tensor& output = data.output(compared.reference);
  const lab::CompareArguments rule =
      compare_rule(data.plan(), output, compared.recipe, compared.reference, compared.accuracy);
  const lab::Format format = lab::format_of(rule.dtype);
  const bool is_float = rule.acc_is_float != 0;
  const int wide = is_float ? 4 : 8;
  const std::int64_t begin = first_surveyed(output.elements(), worst);
  const std::int64_t end = std::min(output.elements(), begin + kMostSurveyed);
  for (std::int64_t first = begin; first < end; first += kChunk) {
    const std::int64_t count = std::min(kChunk, end - first);
    const auto byte = static_cast<std::int64_t>(lab::byte_of(format, static_cast<lab::u64>(first)));
    const auto got = fetch(data.device(), compared.got, byte, bytes_of(output.dtype, count), 1);
    const auto value = fetch(data.device(), compared.expected->value.pointer(), first, count, wide);
    const auto scale = fetch(data.device(), compared.expected->scale.pointer(), first, count, wide);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const std::uint64_t bits = bits_within(got, format, i);
      const double expected = number(value, i, is_float);
      survey.see(first + static_cast<std::int64_t>(i), bits, expected,
                 lab::judge(format, bits, expected, number(scale, i, is_float), rule));
    }
  }
}

/// Runs until the output is wrong again, and says where.
void look_at(ProblemData& data, ReportBuffer& reports, Candidate& candidate, std::uint32_t recipe,
             std::size_t reference, RecipeReport& report) {
  const Tensor& output = data.output(reference);
  const Accuracy accuracy = candidate.plan().accuracy;
  std::vector<Expected> by_norm;
  if (accuracy.normwise) by_norm = expected_by_norm(data, recipe, accuracy);
  const std::vector<Expected>& expected = accuracy.normwise ? by_norm : data.expected(recipe);
  Compared compared{recipe, reference, 0, &expected[reference], false, accuracy};
  const int set = data.set_with(recipe, candidate.plan().alignment);
  compared.got = data.buffer(set, output.name).pointer();
  for (int run = 0; run < kMostRuns; ++run) {
    const std::uint32_t poison = run % 2 == 0 ? kPoisonNan : kPoisonFinite;
    for (const BoundLaunch& launch : data.restore_launches(set, recipe)) data.device().launch(launch);
    poison_outputs(data, set, poison);
    candidate.poison_workspaces(poison);
    candidate.run(set, LaunchMode::check);
    reports.reset(1, 0, 0);
    queue_compare(data, reports, 0, compared);
    reports.read();
    if (reports.compared().front().mismatches == 0) continue;
    Survey survey(data.plan(), data.plan().recipes[recipe], output, poison);
    survey_around(reports.compared().front().worst_index - 1, data, compared, survey);
    survey.tell(report, [&](std::span<const std::int64_t> places) {
      const int wide = data.plan().references[reference].accumulator == DType::fp32 ? 4 : 8;
      std::vector<double> values;
      for (const std::int64_t place : places)
        values.push_back(
            number(fetch(data.device(), compared.expected->value.pointer(), place, 1, wide), 0, wide == 4));
      return values;
    });
    return;
  }
  report.pattern =
      fmt::format("it did not happen again in {} more runs: a race, or memory that nobody initialised", kMostRuns);
}

}  // namespace

void look_again(ProblemData& data, ReportBuffer& reports, Candidate& candidate, std::span<const std::uint32_t> recipes,
                CheckReport& report) {
  const std::size_t outputs = data.plan().references.size();
  std::size_t looks = 0;
  for (std::size_t i = 0; i < report.recipes.size() && looks < kMostLooks; ++i) {
    RecipeReport& one = report.recipes[i];
    if (one.mismatches == 0 || data.plan().references[i % outputs].checker) continue;
    ++looks;
    look_at(data, reports, candidate, recipes[i / outputs], i % outputs, one);
  }
}

}  // namespace kerlab::verify
