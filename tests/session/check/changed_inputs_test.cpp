// Inputs that a thorough check changes in place, on the emulated device: how far out they go.
#include "catch.h"
#include "session/check/check_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// y = x + sums, where sums was made of x: uniform numbers from -1 to 1. Its variant is right where all numbers are
/// those of the recipe: as one whose weights are beyond its type where a saved sum does not go with what it is the sum
/// of.
ElementFamily saved_family() {
  return {.name = "saved",
          .dtypes = "\"fp16\"",
          .dimensions = {{"N", 1001}},
          .inputs = {{"x", "DTYPE"}, {"sums", "DTYPE", "of = [\"x\"]"}},
          .output = {"y", "DTYPE"},
          .tolerance = "{ rule = \"sum\", length = 2 }",
          .more = "[[recipe]]\nname = \"uniform\"",
          .bytes = "6 * N",
          .reference = "value[j] = ACC(to_float(x[i])) + ACC(to_float(sums[i]));\n  scale[j] = 2;",
          .kernel =
              "const float a = to_float(x[i]), b = to_float(sums[i]);\n"
              "  y[i] = from_float<DTYPE>(fabsf(a) > 1 || fabsf(b) > 1 ? 0.0f : a + b);",
          .bugs = 0};
}

TrialStatus status_of_saved(const ElementFamily& family) {
  return statuses_of(family).begin()->second;
}

}  // namespace

TEST_CASE("changed inputs: what was made of others goes no farther out than its recipe, nor do these",
          "[session][emulated]") {
  ElementFamily family = saved_family();
  CHECK(status_of_saved(family) == TrialStatus::passed);
  family.inputs[1].words = "";
  CHECK(status_of_saved(family) == TrialStatus::wrong);
}
