// The bytes that trials are named by: they never change for a plan that is stored somewhere.
#include "plan/plan_identity.h"

#include <limits>
#include <stdexcept>

#include "catch.h"

using namespace kerlab;

namespace {

/// Every field of a plan, and integers and lengths around each place where CBOR begins to write them longer.
LaunchPlan full_plan() {
  LaunchPlan plan;
  plan.workspaces = {{"partial", std::int64_t{1} << 33, WorkspaceInit::poison},
                     {"", 23, WorkspaceInit::none},
                     {std::string(23, 'a'), 24, WorkspaceInit::zero},
                     {std::string(24, 'b'), 255, WorkspaceInit::zero_once},
                     {std::string(300, 'c'), 256, WorkspaceInit::zero}};
  Launch launch;
  launch.kernel = "gemm \"\n\xc3\xa9";
  launch.grid = {65535, 65536, 4294967295u};
  launch.block = {256, 1, 24};
  launch.cluster = {2, 3, 4};
  launch.dynamic_shared = 98304;
  TensorMapSpec map;
  map.tensor = "A";
  map.offset_bytes = 64;
  map.dtype = DType::uint8;
  map.dims = {4096, 512, std::uint64_t{1} << 63};
  map.stride_bytes = {8192, 4294967296u};
  map.box = {64, 128, 1};
  map.swizzle = Swizzle::b128;
  map.promotion = L2Promotion::b256;
  map.nan_fill = true;
  launch.arguments = {ScalarArgument{{std::byte{0}, std::byte{0xff}, std::byte{0x80}, std::byte{0x3f}}, "alpha = 1"},
                      ScalarArgument{std::vector<std::byte>(24, std::byte{7}), ""},
                      TensorArgument{"A", -1},
                      TensorArgument{"B", -24},
                      TensorArgument{"C", -25},
                      TensorArgument{"D", -256},
                      TensorArgument{"E", -257},
                      TensorArgument{"F", std::numeric_limits<std::int64_t>::min()},
                      WorkspaceArgument{"partial", 65536},
                      TensorMapArgument{map},
                      TensorMapArgument{TensorMapSpec{}},
                      ReferenceSlot::index,
                      ReferenceSlot::count,
                      ReferenceSlot::value,
                      ReferenceSlot::scale};
  plan.launches = {launch, Launch{}};
  for (std::int64_t i = 0; i < 24; ++i) plan.launches.back().arguments.emplace_back(TensorArgument{"A", 65533 + i});
  plan.alignment = 32;
  plan.pitches = {{"A", std::numeric_limits<std::int64_t>::max()}, {"B", 48}};
  return plan;
}

/// A plan as kernels have them: one launch, two tensors, a number.
LaunchPlan plain_plan() {
  LaunchPlan plan;
  Launch launch;
  launch.kernel = "softmax";
  launch.grid = {8192, 1, 1};
  launch.block = {256, 1, 1};
  launch.arguments = {TensorArgument{"X", 0}, TensorArgument{"Y", 0},
                      ScalarArgument{{std::byte{0}, std::byte{0x20}, std::byte{0}, std::byte{0}}, "N = 8192"}};
  plan.launches = {launch};
  return plan;
}

template <typename Kind>
Kind& first(LaunchPlan& plan) {
  for (Argument& argument : plan.launches.front().arguments)
    if (Kind* found = std::get_if<Kind>(&argument)) return *found;
  throw std::logic_error("no such argument");
}

}  // namespace

// The digests are from another encoder, in Python. Where one of them fails, databases lose their trials.
TEST_CASE("plan identity: stored trials keep their names", "[plan]") {
  CHECK(plan_digest({}) == "d61870cbfe052dbbe6deadda3bdac94d");
  CHECK(plan_digest(plain_plan()) == "88dea62e875b1728146cef8a4928500c");
  CHECK(plan_digest(full_plan()) == "5e7c0d6f175c5a803092132201422fb1");
}

TEST_CASE("plan identity: whatever differs between two plans tells them apart", "[plan]") {
  const auto differs = [](auto&& change) {
    LaunchPlan plan = full_plan();
    change(plan);
    return plan_digest(plan) != plan_digest(full_plan());
  };
  CHECK(differs([](LaunchPlan& p) { p.alignment = 16; }));
  CHECK(differs([](LaunchPlan& p) { p.start = Start::host; }));
  CHECK(differs([](LaunchPlan& p) { p.start = Start::graph; }));
  CHECK(differs([](LaunchPlan& p) { p.accuracy.normwise = true; }));
  CHECK(differs([](LaunchPlan& p) { p.accuracy.may_be_nan = true; }));
  CHECK(differs([](LaunchPlan& p) { p.pitches.pop_back(); }));
  CHECK(differs([](LaunchPlan& p) { p.pitches[0].tensor = "B"; }));
  CHECK(differs([](LaunchPlan& p) { p.workspaces[0].init = WorkspaceInit::zero; }));
  CHECK(differs([](LaunchPlan& p) { ++p.workspaces[0].bytes; }));
  CHECK(differs([](LaunchPlan& p) { p.launches.pop_back(); }));
  CHECK(differs([](LaunchPlan& p) { p.launches[0].kernel += " "; }));
  CHECK(differs([](LaunchPlan& p) { p.launches[0].dynamic_shared = 0; }));
  CHECK(differs([](LaunchPlan& p) { p.launches[0].cluster = {}; }));
  CHECK(differs([](LaunchPlan& p) { p.launches[1].programmatic = true; }));
  CHECK(differs([](LaunchPlan& p) { p.launches[1].carveout = 0; }));
  CHECK(differs([](LaunchPlan& p) { std::swap(p.launches[0].grid.x, p.launches[0].grid.y); }));
  CHECK(differs([](LaunchPlan& p) { first<ScalarArgument>(p).bytes[0] = std::byte{1}; }));
  CHECK(differs([](LaunchPlan& p) { first<TensorArgument>(p).offset_bytes = 0; }));
  CHECK(differs([](LaunchPlan& p) { first<TensorMapArgument>(p).map.nan_fill = false; }));
  CHECK(differs([](LaunchPlan& p) { first<TensorMapArgument>(p).map.box[1] = 1; }));
}
