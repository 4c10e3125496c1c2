#include "session/find/lab_state.h"

#include <fmt/format.h>

#include "base/error.h"
#include "catch.h"
#include "locations.h"
#include "session/analyse/sweep_rows.h"
#include "session/run/space.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using Words = std::vector<std::string>;

namespace {

KernelFolder gemm() {
  return open_catalogue({}).find("gemm");
}

LabState reg2d() {
  return with_kernel({}, parse_subject("gemm/reg2d"), gemm());
}

}  // namespace

TEST_CASE("lab state: a kernel, then names of its problem and parameters", "[session][lab]") {
  const KernelFolder folder = gemm();
  const LabState state = with_settings(reg2d(), folder, {"M", "1K", "dtype", "fp32", "BM=64", "layout", "nt"});
  CHECK(state.kernel() == "gemm/reg2d");
  CHECK(state.configuration() == "BM=64");
  CHECK(state.dtype == "fp32");
  REQUIRE(state.arguments.size() == 2);
  CHECK(state.arguments.front().name == "M");
  const LabState back = with_settings(state, folder, {"BM=", "layout", "default"});
  CHECK(back.configuration().empty());
  CHECK(back.arguments.size() == 1);
}

TEST_CASE("lab state: what is wrong is refused, and says what there is", "[session][lab]") {
  const KernelFolder folder = gemm();
  CHECK_THROWS_WITH(with_settings(reg2d(), folder, {"BM", "65"}), Catch::Contains("BM=65: listed are"));
  CHECK_THROWS_WITH(with_settings(reg2d(), folder, {"BMM", "64"}), Catch::Contains("did you mean BM?"));
  CHECK_THROWS_WITH(with_settings(reg2d(), folder, {"M", "many"}), Catch::Contains("not a size"));
  CHECK_THROWS_WITH(with_settings(reg2d(), folder, {"layout", "tx"}), Catch::Contains("tx"));
  CHECK_THROWS_AS(with_kernel({}, parse_subject("gemm/nosuch"), folder), UsageError);
}

TEST_CASE("lab state: another kernel keeps what it knows", "[session][lab]") {
  LabState state = with_settings(reg2d(), gemm(), {"M=512", "alpha=2", "BM=64", "dtype=bf16"});
  const KernelFolder softmax = open_catalogue({}).find("softmax");
  state = with_kernel(state, parse_subject("softmax"), softmax);
  CHECK(state.arguments.size() == 1);  // M; alpha is unknown there
  CHECK(state.parameters.empty());
  CHECK(state.dtype == "bf16");
}

TEST_CASE("lab state: ranges mean the values that are listed", "[session][lab]") {
  const KernelFolder folder = gemm();
  const Variant& variant = find_variant(folder, "reg2d");
  const auto bm = parse_choices(variant, {"BM=32..128"});
  REQUIRE(bm.size() == 1);
  for (const std::int64_t value : bm.front().values) CHECK((value >= 32 && value <= 128));
  CHECK(parse_choices(variant, {"BM", "64"}).front().values == std::vector<std::int64_t>{64});
  CHECK(parse_choices(variant, {"BM"}).front().values == variant.parameters.front().values);
  CHECK_THROWS_WITH(parse_choices(variant, {"BM=5..6"}), Catch::Contains("none is listed there"));
}

TEST_CASE("lab state: a sweep keeps what was typed and moves the rest where it must", "[session][lab]") {
  const KernelFolder folder = gemm();
  const Variant& variant = find_variant(folder, "reg2d");
  const DeviceInfo device = testing::h200();
  const Problem problem = problem_for_device(folder, make_request(folder.family, {{"M", "256"}}, "fp32"), device);
  const auto choices = parse_choices(variant, {"BM"});
  const Configuration base = parse_configuration(variant, "BM=64 MIN_BLOCKS=1");
  const auto free = plan_sweep(variant, problem, device, base, "", choices);
  REQUIRE(free.size() == choices.front().values.size());
  for (const SweepRow& row : free) {
    CHECK(row.not_valid.empty());
    std::string other;  // what differs from the base in anything but BM
    for (std::size_t p = 1; p < base.values.size(); ++p)
      if (row.configuration.values[p] != base.values[p])
        other +=
            fmt::format("{}{}={}", other.empty() ? "" : " ", variant.parameters[p].name, row.configuration.values[p]);
    CHECK(row.also == other);
  }
  const Configuration two_blocks = parse_configuration(variant, "BM=128");
  const auto moved = plan_sweep(variant, problem, device, two_blocks, "", choices);
  CHECK(moved.front().also == "MIN_BLOCKS=1");
  CHECK(moved[1].also.empty());
  CHECK(sweep_remarks(moved).front() == "BM=64 is not valid with the rest as it is: with MIN_BLOCKS=1");
  // 64 x 128 with two blocks an SM spills: MIN_BLOCKS must give way, unless it was typed.
  const auto held = plan_sweep(variant, problem, device, two_blocks, "BN=128,MIN_BLOCKS=2,BM=128", choices);
  CHECK_FALSE(held.front().not_valid.empty());
  CHECK_THAT(configuration_text(variant, held.front().configuration), Catch::Contains("BM=64"));
  const std::vector<std::string> conditions = conditions_of(variant, free);
  CHECK(conditions.size() == variant.parameters.size() + 1);
  CHECK_THAT(conditions.back(), Catch::Contains("(BM == 64 && BN == "));
  CHECK(conditions_of(variant, {held.front()}).empty());
  CHECK(combinations(parse_choices(variant, {"BM", "BN=64,128"})) == 2 * choices.front().values.size());
}
