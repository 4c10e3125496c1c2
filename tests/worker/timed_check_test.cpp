// What is compared between timed launches, with the emulated device as if it were a GPU.
#include "worker/timed_check.h"

#include "catch.h"
#include "device/emu/emu_device.h"
#include "device/emu/emu_device_profile.h"
#include "device/emu/image.h"
#include "verify/check.h"
#include "verify/lab_image.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

constexpr std::int64_t kTimedCount = 1000;

/// C = 2 A; off by little everywhere, and by much in one element.
constexpr const char* kTimedSource = R"(
extern "C" __global__ void reference(const float* a, long long n, double* value, double* scale) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  value[i] = 2.0 * a[i];
  scale[i] = fabs(2.0 * a[i]);
}
extern "C" __global__ void by_norm(const float* a, float* c) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < 1000) c[i] = 2.0f * a[i] + 4e-7f;
}
extern "C" __global__ void one_wrong(const float* a, float* c) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < 1000) c[i] = i == 42 ? 0.001f + 2.0f * a[i] : 2.0f * a[i];
}
)";

ProblemPlan doubling() {
  ProblemPlan plan;
  plan.key = "doubling";
  plan.tensors = {{"A", DType::fp32, Role::input, {kTimedCount}}, {"C", DType::fp32, Role::output, {kTimedCount}}};
  Launch reference{"reference", {4, 1, 1}, {256, 1, 1}, {1, 1, 1}, 0, {}};
  reference.arguments = {TensorArgument{"A", 0}, ReferenceSlot::count, ReferenceSlot::value, ReferenceSlot::scale};
  plan.references = {{"C", reference, DType::fp64, 1, {1e-7, 1e-7, 0}, {}}};
  Recipe second, third;
  second.name = "uniform";
  third.name = "normal";
  third.seed = 2;
  plan.recipes = {Recipe{}, second, third};
  return plan;
}

struct TimedBench {
  EmuDevice device{read_emulated_device(profile_folder(), "h200"), EmuOptions{.threads = 1}};
  Lab lab{device, emulated_image(test::compile_lab(device.info().arch()).ptx, {})};
  std::vector<std::byte> image = emulated_image(test::compile_text(kTimedSource, device.info().arch()).ptx, {});
  verify::ProblemData data{lab, doubling(), image};

  /// What was wrong with a kernel when it was timed; empty: nothing.
  std::string look(const std::string& kernel, bool normwise) {
    LaunchPlan plan;
    Launch launch{kernel, {4, 1, 1}, {256, 1, 1}, {1, 1, 1}, 0, {}};
    launch.arguments = {TensorArgument{"A", 0}, TensorArgument{"C", 0}};
    plan.launches = {launch};
    plan.accuracy.normwise = normwise;
    Candidate candidate(data, image, kernel, plan);
    worker::TimedCheck look(data, {&candidate});
    candidate.run(0, LaunchMode::check);
    look.look(0, 0);
    return look.read().at(0);
  }
};

}  // namespace

TEST_CASE("timed check: what is right by norm is held to that, and to no more", "[worker]") {
  TimedBench bench;
  CHECK(bench.look("by_norm", true).empty());
  CHECK_THAT(bench.look("by_norm", false), Catch::Contains("C is wrong"));
  CHECK_THAT(bench.look("one_wrong", true), Catch::Contains("C is wrong") && Catch::Contains("[42]"));
}
