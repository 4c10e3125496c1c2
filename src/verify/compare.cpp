#include "verify/compare.h"

#include <algorithm>
#include <cmath>

#include "verify/rounding_verdict.h"

namespace kerlab::verify {
namespace {

/// 64 operands or sums below the smallest normal fp32, each of which may count as 0.
constexpr double kFlushed = 0x1p-120;

}  // namespace

Tolerance tolerance_under(const ProblemPlan& plan, std::uint32_t recipe, std::size_t reference, Accuracy accuracy) {
  Tolerance tolerance = plan.references[reference].tolerance;
  tolerance.scale_factor = std::ldexp(tolerance.scale_factor, plan.recipes[recipe].magnitude);
  if (accuracy.may_be_nan && tolerance.absolute > 0) tolerance.absolute += kFlushed;
  const bool flushed = accuracy.may_be_nan && std::ranges::any_of(plan.recipes[recipe].plants, [](const Plant& plant) {
                         return plant.what == "subnormal";
                       });
  if (!flushed || tolerance.absolute == 0) return tolerance;  // 0: what must be met bit for bit
  if (tolerance.value_factor > 0) tolerance.value_factor += 1;
  tolerance.scale_factor += 1;
  return tolerance;
}

lab::CompareArguments compare_rule(const ProblemPlan& plan, const Tensor& output, std::uint32_t recipe,
                                   std::size_t reference, Accuracy accuracy) {
  const Tolerance tolerance = tolerance_under(plan, recipe, reference, accuracy);
  lab::CompareArguments rule{};
  rule.count = output.elements();
  rule.dtype = static_cast<lab::u32>(output.dtype);
  rule.acc_is_float = plan.references[reference].accumulator == DType::fp32 ? 1 : 0;
  rule.exact = tolerance.bits ? lab::kSameBits : plan.recipes[recipe].exact ? lab::kRoundedOnce : lab::kWithinBound;
  rule.rounding = has_independent_roundings(plan.recipes[recipe]) ? 1 : 0;
  rule.value_factor = tolerance.value_factor;
  rule.scale_factor = tolerance.scale_factor;
  rule.absolute = tolerance.absolute;
  rule.may_be_nan = accuracy.may_be_nan ? 1 : 0;
  if (accuracy.normwise && info(output.dtype).is_float) {
    rule.exact = lab::kWithinBound;
    rule.value_factor = 0;  // it is in the scale, see take_norms
    rule.scale_factor = 1;
  }
  return rule;
}

void queue_compare(ProblemData& data, const ReportBuffer& reports, std::size_t slot, const Compared& compared) {
  const Tensor& output = data.output(compared.reference);
  lab::CompareArguments rule =
      compare_rule(data.plan(), output, compared.recipe, compared.reference, compared.accuracy);
  rule.got = compared.got;
  rule.value = compared.expected->value.pointer();
  rule.scale = compared.expected->scale.pointer();
  rule.report = reports.compare(slot);
  if (!compared.sums) rule.rounding = 0;
  data.lab().run_over("lab_compare", rule, rule.count);
  if (rule.rounding == 0 || output.shape.empty() || output.shape.back() == 0) return;
  for (const double target : data.plan().references[compared.reference].rows_sum_to) {
    const std::int64_t columns = output.shape.back();
    const lab::RowSumArguments rows{
        rule.got,   rule.value,        rule.scale,        output.elements() / columns, columns,
        rule.dtype, rule.acc_is_float, rule.value_factor, rule.scale_factor,           rule.absolute,
        target,     reports.rows(slot)};
    data.lab().run_over("lab_row_sums", rows, 32 * rows.rows);
  }
}

void poison_outputs(ProblemData& data, int set, std::uint32_t pattern) {
  for (std::size_t i = 0; i < data.plan().tensors.size(); ++i)
    if (data.plan().tensors[i].role == Role::output)
      data.device().fill(data.buffer(set, i).pointer(), pattern, data.buffer(set, i).words());
}

}  // namespace kerlab::verify
