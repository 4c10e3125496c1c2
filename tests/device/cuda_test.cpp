// On a GPU: what the driver API table, launches, graphs, events and faults really do. Skipped without one.
#include <cstring>
#include <thread>

#include "base/child.h"
#include "base/file.h"
#include "catch.h"
#include "device/cuda/cuda_info.h"
#include "device/device.h"
#include "device/device_kernels.h"
#include "device/launches.h"
#include "gpu_here.h"

using namespace kerlab;
using test::argument;
using test::basic;
using test::image;
using test::launch_of;
using test::words_at;

namespace {

std::unique_ptr<Device> gpu() {
  return test::gpu_here() ? open_device("cuda:0") : nullptr;
}

/// Runs a hidden test case of this program in a process of its own: a sticky fault must not spoil the others.
void run_alone(const std::string& tag) {
  const auto result = run_process({executable_path().string(), tag}, std::chrono::seconds(60));
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
}

/// The kernel must end in `kind`, the context must stay lost.
void require_sticky(const std::string& kernel, std::initializer_list<FaultKind> kinds) {
  const auto device = open_device("cuda:0");
  const Allocation data(*device, 1024);
  const ModuleId module = device->load(image(test::kBasicPtx), "basic");
  try {
    device->launch(basic(module, kernel, data.pointer(), 128));
    device->synchronize();
    FAIL("the kernel did not fail");
  } catch (const DeviceFault& fault) {
    INFO(fault.what());
    CHECK(std::find(kinds.begin(), kinds.end(), fault.kind()) != kinds.end());
    CHECK(fault.sticky());
    CHECK(std::string(fault.what()).find(kernel) != std::string::npos);
  }
  CHECK_THROWS_AS(device->synchronize(), DeviceFault);
}

}  // namespace

TEST_CASE("cuda: info is that of a real GPU", "[gpu][device]") {
  const auto device = gpu();
  if (device == nullptr) return;
  const DeviceInfo& info = device->info();
  INFO(info.device_class() << ", driver " << info.driver << ", " << device->health_text());
  CHECK(info.id == "cuda:0");
  CHECK(info.uuid.size() == 40);
  CHECK(info.cc_major >= 5);
  CHECK(info.sms > 0);
  CHECK(info.l2_bytes > 0);
  CHECK(info.shared_per_block >= 48 * 1024);
  CHECK(info.shared_per_sm >= info.shared_per_block);
  CHECK(info.registers_per_sm >= 65536);
  CHECK(info.clock_mhz > 500);
  CHECK(info.memory_clock_mhz > 500);
  CHECK(info.memory_bus_bits > 0);
  CHECK(info.fp64_ratio > 0);
  CHECK(device->free_memory() <= info.memory_bytes);
  DeviceInfo listed = list_cuda_devices().front();
  listed.max_active_clusters = info.max_active_clusters;  // who lists them opens none
  CHECK(listed == info);
  CHECK((info.clusters_at_once(4) > 0) == (info.cc_major >= 9));
  for (const int size : kClusterSizes) CHECK(info.clusters_at_once(size) <= info.sms / size);
}

TEST_CASE("cuda: copies, fill and a launch", "[gpu][device]") {
  const auto device = gpu();
  if (device == nullptr) return;
  const std::uint32_t count = 1000;
  const Allocation data(*device, count * 4);
  CHECK(data.pointer() % 256 == 0);
  device->fill(data.pointer(), 41, count);
  const ModuleId module = device->load(image(test::kBasicPtx), "basic");
  const KernelResources resources = device->prepare(module, launch_of("add_one", 128));
  CHECK(resources.registers > 0);
  CHECK(resources.blocks_per_sm > 0);
  device->launch(basic(module, "add_one", data.pointer(), count));
  CHECK(words_at(*device, data.pointer(), count) == std::vector<std::uint32_t>(count, 42));
  std::vector<std::uint32_t> written(count);
  for (std::uint32_t i = 0; i < count; ++i) written[i] = i;
  device->copy_in(data.pointer(), std::as_bytes(std::span(written)));
  CHECK(words_at(*device, data.pointer(), count) == written);
  device->unload(module);
}

namespace {

/// slow_add(u32* data, u32 count): lets the next launch begin at once, sleeps, adds one to each word. copy_up(u32*,
/// u32): waits for the launch before it, then data[count + i] = data[i].
constexpr std::string_view kDependentPtx = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry slow_add(.param .u64 data, .param .u32 count)
{
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  griddepcontrol.launch_dependents;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r2, %r2, %r3, %r4;
  nanosleep.u32 1000000;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra done;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
  add.u32 %r5, %r5, 1;
  st.global.u32 [%rd3], %r5;
done:
  ret;
}
.visible .entry copy_up(.param .u64 data, .param .u32 count)
{
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r2, %r2, %r3, %r4;
  griddepcontrol.wait;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra done;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd3, %rd3, %rd4;
  st.global.u32 [%rd3], %r5;
done:
  ret;
}
)";

}  // namespace

TEST_CASE("cuda: a launch may begin before the one before it has ended, alone, together and in a graph",
          "[gpu][device]") {
  const auto device = gpu();
  if (device == nullptr) return;
  if (device->info().cc_major < 9) {
    WARN("skipped: the GPU has no programmatic dependent launches");
    return;
  }
  const std::uint32_t count = 4096;
  const Allocation data(*device, 2 * count * 4);
  device->fill(data.pointer(), 0, 2 * count);
  const ModuleId module = device->load(image(kDependentPtx), "dependent");
  const BoundLaunch slow = basic(module, "slow_add", data.pointer(), count);
  BoundLaunch copy = basic(module, "copy_up", data.pointer(), count);
  copy.programmatic = true;
  const auto copied = [&] { return words_at(*device, data.pointer() + count * 4, count); };
  for (const bool cooperative : {false, true}) {
    copy.cooperative = cooperative;
    device->launch(slow);
    device->launch(copy);
    CHECK(copied() == std::vector<std::uint32_t>(count, cooperative ? 2 : 1));
  }
  copy.cooperative = false;
  const Graph graph(*device, device->capture(std::vector{slow, copy}, 3));
  graph.launch();
  device->synchronize();
  CHECK(copied() == std::vector<std::uint32_t>(count, 5));
}

TEST_CASE("cuda: preferred shared memory is a hint, and launches of one kernel may differ in it", "[gpu][device]") {
  const auto device = gpu();
  if (device == nullptr) return;
  const Allocation data(*device, 4096);
  device->fill(data.pointer(), 0, 1024);
  const ModuleId module = device->load(image(test::kBasicPtx), "basic");
  Launch planned = launch_of("add_one", 128);
  BoundLaunch launch = basic(module, "add_one", data.pointer(), 1024);
  for (const int percent : {-1, 0, 50, 100, -1}) {
    planned.carveout = launch.carveout = percent < 0 ? std::nullopt : std::optional(percent);
    CHECK(device->prepare(module, planned).blocks_per_sm > 0);
    device->launch(launch);
  }
  CHECK(words_at(*device, data.pointer(), 1024) == std::vector<std::uint32_t>(1024, 5));
}

TEST_CASE("cuda: a graph repeats its launches, events time them", "[gpu][device]") {
  const auto device = gpu();
  if (device == nullptr) return;
  const std::uint32_t count = 1 << 20;
  const Allocation data(*device, count * 4);
  device->fill(data.pointer(), 0, count);
  const ModuleId module = device->load(image(test::kBasicPtx), "basic");
  const std::vector<BoundLaunch> launches(2, basic(module, "add_one", data.pointer(), count));
  const GraphId graph = device->capture(launches, 10);
  const EventId from = device->create_event(), to = device->create_event();
  device->record(from);
  device->launch_graph(graph);
  device->record(to);
  device->synchronize();
  CHECK(words_at(*device, data.pointer(), 3) == std::vector<std::uint32_t>(3, 20));
  const double us = device->elapsed_us(from, to);
  CHECK(us > 10);
  CHECK(us < 1e6);
  device->release_event(from);
  device->release_event(to);
  device->release_graph(graph);
}

TEST_CASE("cuda: a kernel waits for mapped host memory", "[gpu][device]") {
  const auto device = gpu();
  if (device == nullptr) return;
  const MappedMemory flag = device->allocate_mapped(4);
  auto* host = static_cast<volatile std::uint32_t*>(flag.host);
  *host = 0;
  const ModuleId module = device->load(image(test::kBasicPtx), "basic");
  BoundLaunch spin = basic(module, "spin", flag.device, 1);
  const EventId from = device->create_event(), to = device->create_event();
  device->record(from);
  device->launch(spin);
  device->record(to);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  *host = 1;
  device->synchronize();
  CHECK(device->elapsed_us(from, to) > 5000);
  device->release_mapped(flag);
}

TEST_CASE("cuda: large shared memory is allowed, too large refused", "[gpu][device]") {
  const auto device = gpu();
  if (device == nullptr) return;
  const Allocation data(*device, 4096);
  const ModuleId module = device->load(image(test::kBasicPtx), "basic");
  const auto limit = static_cast<std::uint32_t>(device->info().shared_per_block);
  CHECK(device->prepare(module, launch_of("add_one", 128, limit)).blocks_per_sm == 1);
  BoundLaunch launch = basic(module, "add_one", data.pointer(), 128);
  launch.dynamic_shared = limit;
  CHECK_NOTHROW(device->launch(launch));
  CHECK_THROWS_WITH(device->prepare(module, launch_of("add_one", 128, limit + 16)),
                    Catch::Contains("16 more than the device's"));
  CHECK_NOTHROW(device->synchronize());
}

TEST_CASE("cuda: clusters", "[gpu][device]") {
  const auto device = gpu();
  if (device == nullptr) return;
  if (device->info().cc_major < 9) {
    WARN("skipped: clusters need compute capability 9.0");
    return;
  }
  const Allocation data(*device, 256);
  const ModuleId module = device->load(image(test::kClusterPtx), "cluster");
  for (const std::uint32_t size : {1u, 2u, 8u}) {
    Launch planned = launch_of("cluster_size", 64);
    planned.grid = {16, 1, 1};
    planned.cluster = {size, 1, 1};
    CHECK(device->prepare(module, planned).blocks_per_sm > 0);
    BoundLaunch launch;
    launch.module = module;
    launch.kernel = "cluster_size";
    launch.grid = planned.grid, launch.block = planned.block, launch.cluster = planned.cluster;
    launch.arguments = {argument(data.pointer())};
    device->launch(launch);
    CHECK(words_at(*device, data.pointer(), 1).front() == size);
  }
}

TEST_CASE("cuda: a tensor map is encoded, a bad one refused", "[gpu][device]") {
  const auto device = gpu();
  if (device == nullptr || device->info().cc_major < 9) return;
  const Allocation data(*device, 256 * 256 * 2);
  TensorMapSpec spec;
  spec.tensor = "A";
  spec.dims = {256, 256};
  spec.stride_bytes = {512};
  spec.box = {64, 64};
  spec.swizzle = Swizzle::b128;
  spec.promotion = L2Promotion::b128;
  spec.nan_fill = true;
  const TensorMap map = device->encode(spec, data.pointer());
  CHECK(std::any_of(std::begin(map.words), std::end(map.words), [](std::uint64_t word) { return word != 0; }));
  spec.box = {128, 64};
  CHECK_THROWS_WITH(device->encode(spec, data.pointer()), Catch::Contains("more than the swizzle span"));
}

TEST_CASE("cuda: mistakes that leave the context alive", "[gpu][device]") {
  const auto device = gpu();
  if (device == nullptr) return;
  const Allocation data(*device, 4096);
  const ModuleId module = device->load(image(test::kBasicPtx), "basic");
  CHECK_THROWS_WITH(device->load(image("not an image"), "BM=1"), Catch::Contains("loading BM=1"));
  CHECK_THROWS_WITH(device->prepare(module, launch_of("absent", 128)), Catch::Contains("kernel 'absent'"));
  BoundLaunch short_of_one = basic(module, "add_one", data.pointer(), 128);
  short_of_one.arguments.pop_back();
  CHECK_THROWS_WITH(device->launch(short_of_one), Catch::Contains("takes 2 arguments, the launch gives 1"));
  try {
    device->allocate(std::size_t{1} << 43);
    FAIL("eight terabytes were allocated");
  } catch (const DeviceFault& fault) {
    CHECK(fault.kind() == FaultKind::out_of_memory);
    CHECK_FALSE(fault.sticky());
  }
  device->launch(basic(module, "add_one", data.pointer(), 128));
  CHECK_NOTHROW(device->synchronize());
  CHECK_THROWS_WITH(open_device("cuda:63"), Catch::Contains("there is cuda:0"));
}

TEST_CASE("cuda: faults of kernels are sticky and told apart", "[gpu][device]") {
  if (!test::gpu_here()) return;
  run_alone("[child-illegal-address]");
  run_alone("[child-misaligned-address]");
  run_alone("[child-trap]");
}

TEST_CASE("cuda child: illegal address", "[.][child-illegal-address]") {
  require_sticky("store_null", {FaultKind::illegal_address});
}
TEST_CASE("cuda child: misaligned address", "[.][child-misaligned-address]") {
  require_sticky("store_odd", {FaultKind::misaligned_address});
}
TEST_CASE("cuda child: trap", "[.][child-trap]") {
  require_sticky("trap_now", {FaultKind::trap, FaultKind::launch_failed});
}
