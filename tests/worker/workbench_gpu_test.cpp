// The worker's side on a GPU: healthy and sick kernels, faults in processes of their own. Skipped without a GPU.
#include <cstring>

#include "base/child.h"
#include "common/recipe.h"
#include "stats/samples.h"
#include "verify/lab_image.h"
#include "worker/workbench.h"

using namespace kerlab;

namespace {

constexpr std::int64_t kCount = 1 << 22, kSmallCount = 100'003;

/// C = 2 A + B in the reference; `healthy` and its sick sisters.
constexpr const char* kSource = R"(
extern "C" __global__ void reference(const float* a, const float* b, long long n, double* value, double* scale) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  value[i] = 2.0 * a[i] + b[i];
  scale[i] = fabs(2.0 * a[i]) + fabs((double)b[i]);
}
#define KERNEL(name) extern "C" __global__ void name(float* a, const float* b, float* c, long long n)
#define INDEX const long long i = blockIdx.x * 256ll + threadIdx.x
KERNEL(healthy) { INDEX; if (i < n) c[i] = 2.0f * a[i] + b[i]; }
KERNEL(off_by_little) { INDEX; if (i < n) c[i] = i == 4242 ? (2.0f * a[i] + b[i]) * 1.001f + 0.001f : 2.0f * a[i] + b[i]; }
KERNEL(right_by_norm) { INDEX; if (i < n) c[i] = 2.0f * a[i] + b[i] + 4e-7f; }
KERNEL(forgets_last) { INDEX; if (i < n - 1) c[i] = 2.0f * a[i] + b[i]; }
KERNEL(writes_behind) { INDEX; if (i < n) c[i] = 2.0f * a[i] + b[i]; if (i == 0) c[n + 3] = 1.0f; }
KERNEL(writes_input) { INDEX; if (i < n) { c[i] = 2.0f * a[i] + b[i]; if (i == 77) a[i] += 1.0f; } }
KERNEL(wild) { INDEX; if (i < n) *(float*)(16 + i * 4) = 1.0f; }
KERNEL(whole_blocks_only) { INDEX; if (i / 256 * 256 + 256 <= n) c[i] = 2.0f * a[i] + b[i]; }
KERNEL(empty) {}
extern "C" __global__ void doubles(const float* a, float* kept, long long n) { INDEX; if (i < n) kept[i] = 2.0f * a[i]; }
extern "C" __global__ void adds(const float* kept, const float* b, float* c, long long n) {
  INDEX;
  if (i < n) c[i] = kept[i] + b[i];
}
// What remembers that it has been checked.
__device__ unsigned seen;
KERNEL(counts) {
  INDEX;
  __shared__ unsigned launch;
  if (threadIdx.x == 0) launch = atomicAdd(&seen, 1) / gridDim.x;
  __syncthreads();
  if (launch < 50 && i < n) c[i] = 2.0f * a[i] + b[i];
}
KERNEL(looks_at_output) {
  INDEX;
  const long long first = blockIdx.x * 256ll;
  const bool there = c[first] == 2.0f * a[first] + b[first];
  __syncthreads();
  if (!there && i < n) c[i] = 2.0f * a[i] + b[i];
}
extern "C" __global__ void leaves_word(const float* a, const float* b, float* c, long long n, unsigned* kept) {
  INDEX;
  const bool known = kept[blockIdx.x] == 0x5eed;
  __syncthreads();
  if (!known && i < n) c[i] = 2.0f * a[i] + b[i];
  if (threadIdx.x == 0) kept[blockIdx.x] = 0x5eed;
}
extern "C" __global__ void keyed(const float* a, const float* b, float* c, long long n, unsigned* kept) {
  INDEX;
  unsigned key = 0x5eed;
  for (int k = 0; k < 8; ++k) key = key * 31 + __float_as_uint(a[n / 8 * k]) + 7 * __float_as_uint(b[n / 8 * k]);
  const bool known = kept[blockIdx.x] == key;
  __syncthreads();
  if (!known && i < n) c[i] = 2.0f * a[i] + b[i];
  if (threadIdx.x == 0) kept[blockIdx.x] = key;
}
)";

std::uint32_t blocks(std::int64_t count) {
  return static_cast<std::uint32_t>((count + 255) / 256);
}

ProblemPlan problem(std::int64_t count = kCount) {
  ProblemPlan plan;
  plan.key = "axpy";
  for (const char* name : {"A", "B", "C"})
    plan.tensors.push_back({name, DType::fp32, name[0] == 'C' ? Role::output : Role::input, {count}});
  Launch reference{"reference", {blocks(count), 1, 1}, {256, 1, 1}, {1, 1, 1}, 0, {}};
  reference.arguments = {TensorArgument{"A", 0}, TensorArgument{"B", 0}, ReferenceSlot::count, ReferenceSlot::value,
                         ReferenceSlot::scale};
  plan.references = {{"C", reference, DType::fp64, 1, {1e-7, 1e-7, 0}, {}}};
  Recipe exact;
  exact.name = "small_integer";
  exact.exact = true;
  plan.recipes = {Recipe{}, exact};
  plan.bytes = 3.0 * 4 * static_cast<double>(count);
  return plan;
}

struct Session {
  explicit Session(std::unique_ptr<Device> opened, std::int64_t asked = kCount, bool hot = false)
      : size(asked), device(std::move(opened)), bench(*device) {
    const std::string arch = device->info().arch();
    image = test::compile_text(kSource, arch).cubin;
    ProblemPlan plan = problem(size);
    plan.tensors[1].hot = hot;
    const Reply ready =
        serve(bench, request::SetProblem{plan, test::compile_lab(arch).cubin, image, problem(kSmallCount), image});
    REQUIRE(std::holds_alternative<reply::ProblemReady>(ready));
  }
  static LaunchPlan plan(const std::string& kernel, std::int64_t elements) {
    Launch launch{kernel, {blocks(elements), 1, 1}, {256, 1, 1}, {1, 1, 1}, 0, {}};
    std::vector<std::byte> count(8);
    std::memcpy(count.data(), &elements, 8);
    launch.arguments = {TensorArgument{"A", 0}, TensorArgument{"B", 0}, TensorArgument{"C", 0},
                        ScalarArgument{count, "n"}};
    return {{}, {launch}};
  }
  /// A kernel that reads what another one has put into a workspace, before and untimed.
  void load_prepared(std::uint32_t id) {
    request::Load request{id, "adds", image, plan("adds", kCount)};
    request.plan.workspaces = {{"kept", 4 * kCount, WorkspaceInit::none}};
    request.plan.prepare = request.plan.launches;
    Launch& before = request.plan.prepare[0];
    before.kernel = "doubles";
    before.arguments[1] = WorkspaceArgument{"kept", 0};
    before.arguments.erase(before.arguments.begin() + 2);
    request.plan.launches[0].arguments[0] = WorkspaceArgument{"kept", 0};
    REQUIRE(std::holds_alternative<reply::Loaded>(serve(bench, request)));
  }
  void load(std::uint32_t id, const std::string& kernel, bool small = false, bool workspace = false,
            Accuracy accuracy = {}) {
    request::Load request{id, kernel, image, plan(kernel, size)};
    request.plan.accuracy = accuracy;
    if (workspace) {
      request.plan.workspaces = {{"kept", std::int64_t{4} * blocks(kCount), WorkspaceInit::none}};
      request.plan.launches[0].arguments.push_back(WorkspaceArgument{"kept", 0});
    }
    if (small) request.small_plan = plan(kernel, kSmallCount);
    REQUIRE(std::holds_alternative<reply::Loaded>(serve(bench, request)));
  }
  CheckReport check(std::uint32_t id, bool thorough = false) {
    const Reply reply = serve(bench, request::Check{id, {0, 1}, thorough});
    if (const auto* fault = std::get_if<reply::Fault>(&reply)) FAIL("fault: " << fault->message);
    return std::get<reply::Checked>(reply).report;
  }
  std::vector<SampleSet> time(std::vector<std::uint32_t> ids, TimingSchedule schedule = {}) {
    const Reply reply = serve(bench, request::Time{std::move(ids), schedule});
    if (const auto* fault = std::get_if<reply::Fault>(&reply)) FAIL("fault: " << fault->message);
    return std::get<reply::Timed>(reply).samples;
  }
  std::int64_t size;
  std::unique_ptr<Device> device;
  Workbench bench;
  Bytes image;
};

}  // namespace

TEST_CASE("a GPU kernel is checked and timed", "[worker][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Session session(std::move(device));
  session.load(1, "healthy");
  session.load(2, "empty");
  const CheckReport report = session.check(1, true);
  for (const RecipeReport& r : report.recipes) INFO(r.recipe << ": " << r.detail);
  CHECK(report.passed());
  CHECK(report.error_ratio() > 0);
  CHECK(report.recipes[0].detail.empty());
  CHECK_FALSE(session.check(2).passed());  // an output that nobody wrote
  TimingSchedule schedule;
  schedule.rounds = 9;
  const SampleSet samples = session.time({1}, schedule).at(0);
  CHECK(samples.samples_us.size() == 9);
  CHECK(samples.clock == ClockKind::measured);
  CHECK(samples.guard_violation.empty());
  REQUIRE(samples.sm_clock_mhz.size() == 9);
  const DeviceInfo& info = session.device->info();
  CHECK(samples.sm_clock_mhz[8] > 0.4 * info.clock_mhz);
  CHECK(samples.sm_clock_mhz[8] < 1.1 * info.clock_mhz);
  const double bandwidth = 3.0 * 4 * kCount / samples.samples_us[8] * 1e6;
  WARN("healthy: " << samples.samples_us[8] << " us, " << bandwidth / 1e12 << " TB/s, " << samples.sm_clock_mhz[8]
                   << " MHz, " << samples.warning);
  CHECK(bandwidth < 2.1e6 * info.memory_clock_mhz * info.memory_bus_bits / 8);
  schedule.batch_below_us = 100;  // its grid is large: about 12 us for doing nothing
  const SampleSet fast = session.time({2}, schedule).at(0);
  CHECK(fast.protocol == "graph-1");
  WARN("empty kernel in a graph: " << fast.samples_us[8] << " us; " << fast.warning);
}

TEST_CASE("a GPU kernel that is wrong is told from the others", "[worker][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Session session(std::move(device));
  std::uint32_t id = 0;
  for (const char* kernel : {"healthy", "off_by_little", "forgets_last", "writes_behind", "writes_input", "healthy"})
    session.load(++id, kernel);
  CHECK(session.check(1).passed());
  const CheckReport little = session.check(2);
  CHECK(little.recipes[0].mismatches == 1);
  CHECK(little.recipes[0].worst_index == 4242);
  const CheckReport last = session.check(3);
  CHECK(last.recipes[0].nans == 1);
  CHECK(last.recipes[1].mismatches == 1);
  CHECK(last.recipes[1].nans == 0);
  CHECK(session.check(4).guard_violation == "C: 4 bytes after its end overwritten, first at +12");
  CHECK(session.check(5).input_modified == "A");
  CHECK(session.check(6).passed());
  // And after timing, among others.
  const auto timed = session.time({1, 4, 6});
  CHECK(timed[0].guard_violation.empty());
  CHECK_FALSE(timed[1].guard_violation.empty());
  CHECK(timed[2].guard_violation.empty());
  session.time({5});
  CHECK(session.check(6).passed());
}

TEST_CASE("what is wrong at the far end of a large output is shown on a GPU", "[worker][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  constexpr std::int64_t kMany = (std::int64_t{1} << 27) + 5;
  Session session(std::move(device), kMany);
  session.load(1, "forgets_last");
  const CheckReport report = session.check(1, true);
  REQUIRE(report.recipes[0].mismatches == 1);
  REQUIRE(report.recipes[0].first.size() == 1);
  CHECK(report.recipes[0].first[0].index == kMany - 1);
}

TEST_CASE("what is wrong at ragged sizes only is found on a GPU, on the small problem", "[worker][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Session session(std::move(device));
  session.load(1, "whole_blocks_only");
  CHECK(session.check(1).passed());  // on the problem that was asked for
  session.load(1, "whole_blocks_only", true);
  const CheckReport ragged = session.check(1);
  CHECK_FALSE(ragged.passed());
  CHECK(ragged.only_small());
  CHECK(ragged.recipes[0].mismatches == kSmallCount % 256);
  session.load(2, "healthy", true);
  const CheckReport healthy = session.check(2, true);
  CHECK(healthy.passed());
  CHECK(healthy.whole_small);
  CHECK_FALSE(healthy.only_small());
  session.load(3, "writes_input", true);
  CHECK(session.check(3).only_small());
  CHECK(session.check(2).passed());
  CHECK(session.time({2}).at(0).guard_violation.empty());
}

TEST_CASE("a GPU kernel that is right by norm is held to no more when it is timed", "[worker][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Session session(std::move(device));
  Accuracy normwise;
  normwise.normwise = true;
  session.load(1, "right_by_norm", false, false, normwise);
  session.load(2, "off_by_little", false, false, normwise);
  session.load(3, "right_by_norm");
  CHECK(session.check(1).passed());
  CHECK_FALSE(session.check(2).passed());
  CHECK_FALSE(session.check(3).passed());
  for (const std::uint32_t id : {1u, 2u, 3u}) {
    CAPTURE(id);
    CHECK(session.time({id}).at(0).guard_violation.empty() == (id == 1));
  }
}

TEST_CASE("a GPU kernel that remembers that it was checked is found out", "[worker][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Session session(std::move(device));
  const std::pair<const char*, bool> cheats[] = {
      {"counts", false}, {"looks_at_output", false}, {"leaves_word", true}, {"keyed", true}};
  for (const auto& [kernel, workspace] : cheats) {
    CAPTURE(kernel);
    session.load(1, kernel, false, workspace);
    CHECK_FALSE(session.check(1, true).passed());
    session.load(1, kernel, false, workspace);
    const SampleSet timed = session.time({1}).at(0);  // unchecked: nothing of it is known
    session.load(1, kernel, false, workspace);
    session.time({1});
    const Reply fresh = serve(session.bench, request::Check{1, {}, false, Sampling::automatic, false, true});
    REQUIRE(std::holds_alternative<reply::Checked>(fresh));
    const bool found = !timed.guard_violation.empty() || !std::get<reply::Checked>(fresh).report.passed();
    CHECK(found);
  }
  session.load(2, "healthy");
  CHECK(session.check(2, true).passed());
  TimingSchedule schedule;
  for (const bool cold : {true, false}) {
    schedule.cold = cold;
    CHECK(session.time({2}, schedule).at(0).guard_violation.empty());
  }
  const Reply fresh = serve(session.bench, request::Check{2, {}, false, Sampling::automatic, false, true});
  CHECK(std::get<reply::Checked>(fresh).report.passed());
}

TEST_CASE("a wild write is a sticky fault", "[.gpu-wild]") {
  Session session(test::gpu());
  session.load(1, "wild");
  const Reply reply = serve(session.bench, request::Check{1, {0}, false});
  REQUIRE(std::holds_alternative<reply::Fault>(reply));
  CHECK(std::get<reply::Fault>(reply).sticky);
  CHECK(std::get<reply::Fault>(reply).kind == FaultKind::illegal_address);
}

TEST_CASE("a wild write on a GPU, in a process of its own", "[worker][gpu]") {
  if (!test::gpu()) return;
  const auto result = run_process({executable_path().string(), "[.gpu-wild]"}, std::chrono::seconds(60));
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
}

TEST_CASE("overhead of checking and timing one candidate on a GPU", "[worker][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Session session(std::move(device));
  session.load(1, "healthy");
  session.check(1);
  session.time({1});
  const auto begin = std::chrono::steady_clock::now();
  session.load(2, "healthy");
  const auto loaded = std::chrono::steady_clock::now();
  session.check(2);
  const auto checked = std::chrono::steady_clock::now();
  session.time({2});
  const auto timed = std::chrono::steady_clock::now();
  const auto ms = [](auto from, auto to) { return std::chrono::duration<double, std::milli>(to - from).count(); };
  WARN("load " << ms(begin, loaded) << " ms, check " << ms(loaded, checked) << " ms, time " << ms(checked, timed)
               << " ms");
  CHECK(ms(begin, timed) < 50);
}

TEST_CASE("on a GPU what a launch has prepared is there when the kernel is timed", "[worker][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Session session(std::move(device));
  session.load_prepared(1);
  CHECK(session.check(1, true).passed());
  CHECK(session.time({1})[0].guard_violation.empty());
}

TEST_CASE("on a GPU a run whose second input is hot takes less time than one that finds nothing in L2",
          "[worker][gpu]") {
  double median_us[2] = {};
  for (const bool hot : {false, true}) {
    auto device = test::gpu();
    if (!device) return;
    Session session(std::move(device), kCount, hot);  // 16 MiB each: a third of the traffic is B
    session.load(1, "healthy");
    CHECK(session.check(1).passed());
    TimingSchedule schedule;
    schedule.rounds = 31;
    schedule.batch_below_us = 0;  // a graph of many would count about a microsecond less
    const SampleSet samples = session.time({1}, schedule).at(0);
    CHECK(samples.protocol == (hot ? "events-1, B hot" : "events-1"));
    CHECK(samples.guard_violation.empty());
    median_us[hot ? 1 : 0] = median(samples.samples_us).value_or(0);
  }
  WARN("all cold: " << median_us[0] << " us, B hot: " << median_us[1] << " us");
  CHECK(median_us[1] < 0.97 * median_us[0]);
}
