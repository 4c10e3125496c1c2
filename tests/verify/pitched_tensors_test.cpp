// Rows with a leading dimension in the check that a GPU gets: everything is found by scans, not by what is known of
// writes.
#include <fmt/format.h>

#include <cstring>

#include "catch.h"
#include "device/emu/emu_device.h"
#include "device/emu/emu_device_profile.h"
#include "device/emu/image.h"
#include "verify/check.h"
#include "verify/lab_image.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

constexpr std::int64_t kRows = 7, kColumns = 33, kPitch = 41;
constexpr std::int64_t kWidePitch = std::int64_t{1} << 20;  // of its gaps both ends are guarded

constexpr const char* kSource = R"(
extern "C" __global__ void reference(const float* x, long long n, double* value, double* scale) {
  const long long i = threadIdx.x;
  if (i >= n) return;
  value[i] = x[i];
  scale[i] = 0;
}
#define KERNEL(name) extern "C" __global__ void name(float* x, float* y, int columns, int pitch)
#define COPY(from_pitch, to_pitch) \
  const int r = threadIdx.x; \
  for (int i = 0; i < columns; ++i) y[r * (to_pitch) + i] = x[r * (from_pitch) + i]
KERNEL(right) { COPY(pitch, pitch); }
KERNEL(reads_by_width) { COPY(columns, pitch); }
KERNEL(writes_by_width) { COPY(pitch, columns); }
KERNEL(writes_gap) { COPY(pitch, pitch); if (r == 2) y[r * pitch + columns + 3] = 1; }
KERNEL(writes_gap_of_input) { COPY(pitch, pitch); if (r == 6) x[r * pitch + columns] = 1; }
KERNEL(writes_before_row) { COPY(pitch, pitch); if (r == 2) y[(r + 1) * pitch - 2] = 1; }
KERNEL(writes_input) { COPY(pitch, pitch); if (r == 2) x[r * pitch] += 1; }
KERNEL(writes_behind) { COPY(pitch, pitch); if (r == 6) y[7 * pitch + 1] = 1; }
)";

template <typename Value>
ScalarArgument scalar(Value value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return {bytes, ""};
}

ProblemPlan problem() {
  ProblemPlan plan;
  plan.key = "rows";
  plan.tensors = {{"x", DType::fp32, Role::input, {kRows, kColumns}},
                  {"y", DType::fp32, Role::output, {kRows, kColumns}}};
  Launch reference{"reference", {1, 1, 1}, {256, 1, 1}, {1, 1, 1}, 0, {}};
  reference.arguments = {TensorArgument{"x", 0}, ReferenceSlot::count, ReferenceSlot::value, ReferenceSlot::scale};
  plan.references = {{"y", reference, DType::fp64, 1, {}, {}}};
  Recipe more;
  more.name = "uniform";
  plan.recipes = {Recipe{}, more};
  return plan;
}

std::unique_ptr<Device> emulated() {
  return std::make_unique<EmuDevice>(read_emulated_device(profile_folder(), "h200"), EmuOptions{.threads = 1});
}

struct Bench {
  explicit Bench(std::unique_ptr<Device> opened)
      : device(std::move(opened)),
        lab(*device, image_of(test::compile_lab(device->info().arch()))),
        image(image_of(test::compile_text(kSource, device->info().arch()))) {}

  [[nodiscard]] std::vector<std::byte> image_of(const CompileResult& result) const {
    if (device->info().kind == DeviceKind::emulated) return emulated_image(result.ptx, {});
    return result.cubin;
  }
  std::unique_ptr<Device> device;
  Lab lab;
  std::vector<std::byte> image;
  ProblemData data{lab, problem(), image};
  Checker checker{data};
  std::int64_t pitch = kPitch;

  [[nodiscard]] LaunchPlan plan(const std::string& kernel, bool padded = true) const {
    Launch launch{kernel, {1, 1, 1}, {kRows, 1, 1}, {1, 1, 1}, 0, {}};
    launch.arguments = {TensorArgument{"x", 0}, TensorArgument{"y", 0}, scalar(int{kColumns}),
                        scalar(static_cast<int>(padded ? pitch : kColumns))};
    LaunchPlan plan;
    plan.launches = {launch};
    if (padded) plan.pitches = {{"x", pitch}, {"y", pitch}};
    return plan;
  }
  CheckReport check(const std::string& kernel, bool padded = true, bool thorough = false) {
    Candidate candidate(data, image, kernel, plan(kernel, padded));
    const std::uint32_t recipes[] = {0, 1};
    return checker.check(candidate, recipes, {thorough, false, false});
  }
};

}  // namespace

namespace {

void find_everything(Bench& bench) {
  for (const bool thorough : {false, true}) {
    CAPTURE(thorough);
    CHECK(bench.check("right", true, thorough).passed());
    CHECK_FALSE(bench.check("reads_by_width", true, thorough).passed());
    CHECK_FALSE(bench.check("writes_by_width", true, thorough).passed());
    CHECK(bench.check("writes_gap", true, thorough).guard_violation ==
          "y: 4 bytes of the padding behind its rows overwritten, first 12 bytes behind row 2");
    CHECK(bench.check("writes_before_row", true, thorough).guard_violation ==
          fmt::format("y: 4 bytes of the padding behind its rows overwritten, first {} bytes behind row 2",
                      4 * (bench.pitch - kColumns - 2)));
    CHECK(bench.check("writes_gap_of_input", true, thorough).guard_violation ==
          "x: 4 bytes of the padding behind its rows overwritten, first 0 bytes behind row 6");
    CHECK(bench.check("writes_input", true, thorough).input_modified == "x");
    CHECK(bench.check("writes_behind", true, thorough).guard_violation ==
          "y with padded rows: 4 bytes after its end overwritten, first at +4");
    CHECK(bench.check("right", true, thorough).passed());  // nobody pays for the damage of others
  }
  for (const char* kernel : {"right", "reads_by_width", "writes_by_width"}) CHECK(bench.check(kernel, false).passed());
}

}  // namespace

TEST_CASE("padded rows: scans find what was read and written beside them", "[verify][emu][nvrtc]") {
  Bench bench(emulated());
  find_everything(bench);
}

TEST_CASE("padded rows: scans find it on a GPU", "[verify][gpu]") {
  std::unique_ptr<Device> device = test::gpu();
  if (!device) return;
  Bench bench(std::move(device));
  find_everything(bench);
}

TEST_CASE("padded rows: of wide gaps what is next to rows is guarded", "[verify][emu][nvrtc]") {
  Bench bench(emulated());
  bench.pitch = kWidePitch;
  find_everything(bench);
}

TEST_CASE("padded rows: a candidate that has damaged its copies gets whole ones again", "[verify][emu][nvrtc]") {
  Bench bench(emulated());
  Candidate candidate(bench.data, bench.image, "writes_gap", bench.plan("writes_gap"));
  const std::uint32_t recipes[] = {0};
  const std::string first = bench.checker.check(candidate, recipes, {}).guard_violation;
  CHECK(first != "");
  CHECK(bench.checker.check(candidate, recipes, {}).guard_violation == first);
}

TEST_CASE("padded rows: never timed, and only where they fit the problem", "[verify][emu][nvrtc]") {
  Bench bench(emulated());
  Candidate candidate(bench.data, bench.image, "right", bench.plan("right"));
  CHECK_THROWS_WITH(candidate.launches(0), Catch::Contains("only checked"));
  for (const Pitch& wrong : {Pitch{"z", kPitch}, Pitch{"x", kColumns}, Pitch{"x", -1}}) {
    LaunchPlan plan = bench.plan("right");
    plan.pitches = {wrong};
    CHECK_THROWS_WITH(Candidate(bench.data, bench.image, "right", plan), Catch::Contains("cannot have a pitch"));
  }
}
