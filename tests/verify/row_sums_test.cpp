// Rows that must sum to 1: honest rows do whatever their data, wrong ones do not.
#include <functional>

#include "catch.h"
#include "common/rounding.h"
#include "verify/honest.h"

using namespace kerlab;
using kerlab::test::Random;

namespace {

/// Draws one input.
using Draw = std::function<double(Random&)>;

struct Rows {
  DType dtype;
  std::size_t columns;
  Draw draw;
  std::size_t dropped = 0;         // terms that the kernel leaves out of its sum
  bool also_of_reference = false;  // and the reference too
};

struct Found {
  double worst = 0;  // of the rows' errors, in their bounds
  int rows = 0;      // not summing to 1
  int elements = 0;  // beyond their bound
};

/// One row as kernels compute it, fp32 sums of 1024 threads' partial sums, judged as a check does.
void see_row(Found& found, const Rows& rows, Random& random) {
  const lab::Format f = lab::format_of(static_cast<lab::u32>(rows.dtype));
  ToleranceDecl declared;
  declared.rule = "rowwise";
  const Tolerance tolerance = make_tolerance(declared, {}, rows.dtype, rows.dtype, false);
  lab::CompareArguments rule{};
  rule.scale_factor = tolerance.scale_factor, rule.absolute = tolerance.absolute;
  std::vector<double> x(rows.columns), exponential(rows.columns);
  for (double& v : x) v = test::rounded_to(rows.dtype, rows.draw(random));
  const double largest = *std::max_element(x.begin(), x.end());
  double exact = 0;
  float sum = 0;
  std::vector<float> parts(1024);
  for (std::size_t i = 0; i < x.size(); ++i) {
    exponential[i] = std::exp(x[i] - largest);
    if (i >= rows.dropped || !rows.also_of_reference) exact += exponential[i];
    if (i >= rows.dropped) parts[i % 1024] += static_cast<float>(exponential[i]);
  }
  for (const float part : parts) sum += part;
  lab::RowSum row{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = exponential[i] / exact;
    const double scale = (1 + largest - x[i] + std::sqrt(static_cast<double>(x.size()))) * value;
    const lab::u64 bits = lab::encode(f, static_cast<double>(static_cast<float>(exponential[i]) / sum));
    const lab::Verdict verdict = lab::judge(f, bits, value, scale, rule);
    found.elements += verdict.passed ? 0 : 1;
    lab::add_to_row(row, f, lab::decode(f, bits), value, verdict.tolerance);
  }
  const double error = lab::row_error(row, 1);
  found.worst = std::max(found.worst, error);
  found.rows += error <= 1 ? 0 : 1;
}

Found see_rows(const Rows& rows, int count) {
  Random random(3);
  Found found;
  for (int i = 0; i < count; ++i) see_row(found, rows, random);
  return found;
}

double normal(Random& random) {
  return std::normal_distribution<double>()(random);
}
double uniform(Random& random) {
  return std::uniform_real_distribution<double>()(random);
}
double small_integer(Random& random) {
  return static_cast<double>(random() % 9) - 4;
}

}  // namespace

TEST_CASE("honest rows sum to 1, however often a value and its rounding stand in them", "[verify][tolerance]") {
  for (const DType dtype : {DType::bf16, DType::fp16, DType::fp32})
    for (const std::size_t columns : {1, 2, 3, 100, 8192, 46344})
      for (const Draw& draw : {Draw(normal), Draw(uniform), Draw(small_integer), Draw([](Random&) { return 1.5; })}) {
        CAPTURE(name(dtype), columns);
        const Found found = see_rows({dtype, columns, draw}, columns < 1000 ? 200 : columns < 10000 ? 25 : 4);
        CAPTURE(found.worst);
        CHECK(found.elements == 0);
        CHECK(found.rows == 0);
      }
}

TEST_CASE("a term dropped from the sum shows in elements or in the row, in the row also where the reference drops it",
          "[verify][tolerance]") {
  for (const DType dtype : {DType::bf16, DType::fp16, DType::fp32})
    for (const Draw& draw : {Draw(normal), Draw(uniform)}) {
      CAPTURE(name(dtype));
      // Small numbers of fp16 are granted an ulp each: only the row shows that all are off to the same side.
      const Found kernel = see_rows({dtype, 8192, draw, 1, false}, 20);
      CHECK((kernel.elements > 100 || kernel.rows >= 16));
      CHECK(see_rows({dtype, 8192, draw, 1, true}, 20).rows >= 10);  // 1 / N is twice the bound, e^x / N not always
      CHECK(see_rows({dtype, 1000, draw, 1, true}, 20).rows >= 18);
    }
}
