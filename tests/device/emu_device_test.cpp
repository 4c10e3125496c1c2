// The emulated device as a Device: what it runs, samples, refuses and survives.
#include "device/emu/emu_device.h"

#include <unistd.h>

#include <cstring>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "device/device_kernels.h"
#include "device/emu/emu_device_profile.h"
#include "device/emu/tensor_map.h"
#include "device/emu_kernels.h"
#include "device/launches.h"

using namespace kerlab;
using namespace kerlab::emu;
using test::argument;
using test::basic;
using test::image;
using test::launch_of;
using test::words_at;

namespace {

DeviceInfo profile(const char* name = "h200") {
  return read_emulated_device(profile_folder(), name);
}

EmuDevice emulated(EmuOptions options = {.threads = 2, .instruction_budget = 1 << 20}) {
  return EmuDevice(profile(), options);
}

template <typename Call>
DeviceFault fault_of(const Call& call) {
  try {
    call();
  } catch (const DeviceFault& fault) {
    return fault;
  }
  FAIL("no fault");
  return DeviceFault(FaultKind::other, "", false);
}

/// What the process writes to stderr while `call` runs.
template <typename Call>
std::string stderr_of(const Call& call) {
  const TemporaryFolder folder;
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  std::FILE* file = std::fopen((folder.path() / "err").c_str(), "w");
  dup2(fileno(file), STDERR_FILENO);
  call();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  std::fclose(file);
  close(before);
  return read_text(folder.path() / "err");
}

}  // namespace

TEST_CASE("emulated device: copies, fill, a launch, a graph", "[emu][device]") {
  EmuDevice device = emulated();
  CHECK(device.info().kind == DeviceKind::emulated);
  CHECK(device.info().name == "Emulated H200");
  CHECK(device.free_memory() <= device.info().memory_bytes);
  const std::uint32_t count = 1000;
  const Allocation data(device, count * 4);
  CHECK(data.pointer() % 256 == 0);
  device.fill(data.pointer(), 41, count);
  const ModuleId module = device.load(image(test::kBasicPtx), "basic");
  const LaunchReport report = device.launch(basic(module, "add_one", data.pointer(), count), LaunchMode::run);
  CHECK(report.emulated);
  CHECK(report.blocks == 8);
  CHECK(report.blocks_run == 8);
  CHECK(report.written.empty());
  CHECK(words_at(device, data.pointer(), count) == std::vector<std::uint32_t>(count, 42));
  const std::vector<BoundLaunch> launches(2, basic(module, "add_one", data.pointer(), count));
  const GraphId graph = device.capture(launches, 5);
  const EventId begin = device.create_event(), end = device.create_event();
  CHECK(fault_of([&] { device.elapsed_us(begin, end); }).kind() == FaultKind::other);
  device.record(begin);
  device.launch_graph(graph);
  device.record(end);
  CHECK(device.elapsed_us(begin, end) > 0);
  CHECK(words_at(device, data.pointer(), count) == std::vector<std::uint32_t>(count, 52));
}

TEST_CASE("emulated device: zeros of any size and place", "[emu][device]") {
  EmuDevice device = emulated();
  constexpr std::size_t kWords = 3 << 20;
  const Allocation data(device, kWords * 4);
  device.fill(data.pointer(), 7, kWords);
  device.fill(data.pointer() + 20, 0, kWords - 10);
  const auto words = words_at(device, data.pointer(), kWords);
  for (std::size_t i = 0; i < kWords; ++i)
    if (words[i] != (i < 5 || i >= kWords - 5 ? 7u : 0u)) FAIL("word " << i << " is " << words[i]);
}

TEST_CASE("emulated device: a check executes a sample and tells what it wrote", "[emu][device]") {
  EmuDevice device = emulated();
  constexpr std::uint32_t kCount = 100 * 128;
  const Allocation data(device, kCount * 4);
  device.fill(data.pointer(), 0, kCount);
  const ModuleId module = device.load(image(test::kBasicPtx), "basic");
  const LaunchReport report = device.launch(basic(module, "add_one", data.pointer(), kCount), LaunchMode::check);
  CHECK(report.blocks == 100);
  CHECK(report.blocks_run == 6);
  std::int64_t written = 0;
  for (const AddressRange& range : report.written) written += static_cast<std::int64_t>(range.end - range.begin);
  CHECK(written == 6 * 128 * 4);
  const auto words = words_at(device, data.pointer(), kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::uint64_t address = data.pointer() + 4 * i;
    const bool inside = std::ranges::any_of(
        report.written, [&](const AddressRange& range) { return range.begin <= address && address < range.end; });
    if (words[i] != (inside ? 1u : 0u)) FAIL("word " << i << " is " << words[i]);
  }
  CHECK(words.front() == 1);
  CHECK(words.back() == 1);
  const LaunchReport whole = device.launch(basic(module, "add_one", data.pointer(), kCount), LaunchMode::check_all);
  CHECK(whole.blocks_run == 100);
  CHECK(whole.written == std::vector<AddressRange>{{data.pointer(), data.pointer() + kCount * 4}});
  const LaunchReport counted = device.launch(basic(module, "add_one", data.pointer(), kCount), LaunchMode::count);
  CHECK(counted.blocks_run == 6);
  CHECK(counted.written == report.written);  // what a kernel that works in place must get back
  CHECK(counted.counts.global_load_bytes == 6 * 128 * 4);
  CHECK(counted.counts.global_store_bytes == 6 * 128 * 4);
}

TEST_CASE("emulated device: blocks that depend on each other are all executed", "[emu][device]") {
  EmuDevice device = emulated();
  const Allocation data(device, 4);
  device.fill(data.pointer(), 0, 1);
  const ModuleId module = device.load(image(test::kEmulatedPtx), "talk");
  CHECK_FALSE(device.prepare(module, launch_of("total", 128)).independent_blocks);
  CHECK(device.prepare(device.load(image(test::kBasicPtx), "basic"), launch_of("add_one", 128)).independent_blocks);
  BoundLaunch launch = basic(module, "total", data.pointer(), 3);
  launch.grid.x = 50;
  const LaunchReport report = device.launch(launch, LaunchMode::check);
  CHECK(report.blocks_run == 50);
  CHECK(report.written == std::vector<AddressRange>{{data.pointer(), data.pointer() + 4}});
  CHECK(words_at(device, data.pointer(), 1)[0] == 50 * 128 * 3);
}

TEST_CASE("emulated device: faults of kernels name them and leave the device whole", "[emu][device]") {
  EmuDevice device = emulated();
  const Allocation data(device, 1024);
  const ModuleId module = device.load(image(test::kBasicPtx), "basic");
  const std::pair<const char*, FaultKind> kinds[] = {{"store_null", FaultKind::illegal_address},
                                                     {"store_odd", FaultKind::misaligned_address},
                                                     {"trap_now", FaultKind::trap},
                                                     {"spin", FaultKind::timeout}};
  for (const auto& [kernel, kind] : kinds) {
    INFO(kernel);
    device.fill(data.pointer(), 0, 256);
    const DeviceFault fault =
        fault_of([&] { device.launch(basic(module, kernel, data.pointer(), 128), LaunchMode::run); });
    INFO(fault.what());
    CHECK(fault.kind() == kind);
    CHECK_FALSE(fault.sticky());
    CHECK_THAT(fault.what(), Catch::Contains(kernel));
    device.synchronize();
    device.launch(basic(module, "add_one", data.pointer(), 256), LaunchMode::run);
    CHECK(words_at(device, data.pointer(), 256) == std::vector<std::uint32_t>(256, 1));
  }
  // A word beyond the end of the allocation, which has guards behind it.
  const DeviceFault beyond =
      fault_of([&] { device.launch(basic(module, "add_one", data.pointer(), 257), LaunchMode::run); });
  CHECK(beyond.kind() == FaultKind::illegal_address);
  CHECK_FALSE(fault_of([&] { device.copy_in(data.pointer() + 1020, argument(std::uint64_t{0})); }).sticky());
}

TEST_CASE("emulated device: variables of a module have their contents and live as long as it", "[emu][device]") {
  EmuDevice device = emulated();
  const Allocation out(device, 4);
  const auto look = [&](ModuleId module) {
    BoundLaunch launch;
    launch.module = module;
    launch.kernel = "look";
    launch.arguments = {argument(out.pointer())};
    device.launch(launch, LaunchMode::run);
    return words_at(device, out.pointer(), 1)[0];
  };
  const ModuleId first = device.load(image(test::kVariablesPtx), "variables");
  CHECK(look(first) == 30 * 5 + 7);
  CHECK(look(first) == 30 * 5 + 8);  // the kernel has counted
  const ModuleId second = device.load(image(test::kVariablesPtx), "variables");
  CHECK(look(second) == 30 * 5 + 7);
  const std::int64_t with_both = device.free_memory();
  device.unload(first);
  CHECK(look(second) == 30 * 5 + 8);
  CHECK(device.free_memory() >= with_both - (std::int64_t{1} << 30));
  CHECK(fault_of([&] { look(first); }).kind() == FaultKind::other);
}

TEST_CASE("emulated device: printf reaches stderr", "[emu][device]") {
  EmuDevice device = emulated();
  const ModuleId module = device.load(image(test::kEmulatedPtx), "talk");
  BoundLaunch launch = basic(module, "greet", 0, 17);
  launch.block.x = 1;
  launch.grid.x = 2;
  const std::string said = stderr_of([&] { device.launch(launch, LaunchMode::run); });
  CHECK_THAT(said, Catch::Contains("block 0 says 17\n") && Catch::Contains("block 1 says 17\n"));
}

TEST_CASE("emulated device: what it does not execute it names, and the rest of the module runs", "[emu][device]") {
  EmuDevice device = emulated();
  const std::string ptx = std::string(test::kBasicPtx) +
                          ".visible .entry odd(.param .u64 data)\n{\n  .reg .f32 %f<9>;\n" +
                          "  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [texture, {%f5}];\n  ret;\n}\n";
  const ModuleId module = device.load(image(ptx), "odd");
  const DeviceFault fault = fault_of([&] { device.prepare(module, launch_of("odd", 32)); });
  INFO(fault.what());
  CHECK(fault.kind() == FaultKind::unsupported);
  CHECK_FALSE(fault.sticky());
  CHECK_THAT(fault.what(), Catch::Contains("odd") && Catch::Contains("tex"));
  const auto lines = std::count(test::kBasicPtx.begin(), test::kBasicPtx.end(), '\n');
  CHECK_THAT(fault.what(), Catch::Contains(std::to_string(lines + 4)));
  CHECK(device.prepare(module, launch_of("add_one", 32)).kernel == "add_one");
  CHECK_THAT(fault_of([&] { device.prepare(module, launch_of("absent", 32)); }).what(), Catch::Contains("add_one"));
  CHECK(fault_of([&] { device.load(image("int main() {}"), "c"); }).kind() == FaultKind::load_failed);
  CHECK(fault_of([&] {
          device.load(image(std::string_view("\x7f"
                                             "ELF\0\0\1",
                                             7)),
                      "cubin");
        }).kind() == FaultKind::load_failed);
}

TEST_CASE("emulated device: resources, occupancy and limits", "[emu][device]") {
  EmuDevice device = emulated();
  KernelResources told;
  told.kernel = "add_one";
  told.registers = 128;
  told.spill_bytes = 8;
  told.static_shared = 8320;
  const auto bytes = emulated_image(std::string(test::kBasicPtx), std::vector{told});
  const ModuleId module = device.load(bytes, "basic");
  const KernelResources found = device.prepare(module, launch_of("add_one", 256));
  CHECK(found.registers == 128);
  CHECK(found.spill_bytes == 8);
  CHECK(found.static_shared == 8320);
  CHECK(found.max_threads == 512);
  CHECK(found.blocks_per_sm == 2);
  CHECK(device.prepare(module, launch_of("add_one", 256, 200 * 1024)).blocks_per_sm == 1);
  CHECK(device.prepare(module, launch_of("trap_now", 256)).blocks_per_sm == 8);  // registers unknown
  const auto refused = [&](const Launch& launch) {
    const DeviceFault fault = fault_of([&] { device.prepare(module, launch); });
    CHECK(fault.kind() == FaultKind::load_failed);
    return std::string(fault.what());
  };
  CHECK_THAT(refused(launch_of("add_one", 544)), Catch::Contains("544 threads"));
  CHECK_THAT(refused(launch_of("add_one", 256, 232448)), Catch::Contains("8320 more than the device's 232448"));
  const Allocation data(device, 1024);
  BoundLaunch launch = basic(module, "add_one", data.pointer(), 128);
  launch.arguments.pop_back();
  CHECK_THAT(fault_of([&] { device.launch(launch, LaunchMode::run); }).what(), Catch::Contains("2 parameters"));
  launch.arguments = {argument(data.pointer()), argument(std::uint64_t{1})};
  CHECK_THAT(fault_of([&] { device.launch(launch, LaunchMode::run); }).what(), Catch::Contains("parameter 1"));
  launch = basic(module, "add_one", data.pointer(), 128);
  launch.block.x = 1025;
  CHECK(fault_of([&] { device.launch(launch, LaunchMode::run); }).kind() == FaultKind::launch_failed);
}

TEST_CASE("emulated device: memory has the profile's size and ends", "[emu][device]") {
  DeviceInfo small = profile();
  small.memory_bytes = 64 << 20;
  EmuDevice device(small, {});
  CHECK(device.free_memory() == 64 << 20);
  const Allocation most(device, 60 << 20);
  const DeviceFault fault = fault_of([&] { device.allocate(5 << 20); });
  CHECK(fault.kind() == FaultKind::out_of_memory);
  CHECK_FALSE(fault.sticky());
  CHECK_NOTHROW(Allocation(device, 1 << 20));
}

TEST_CASE("emulated device: two at once have memory and modules of their own", "[emu][device]") {
  EmuDevice first = emulated(), second(profile("a100"), {.threads = 1});
  CHECK(second.info().arch() == "sm_80");
  for (EmuDevice* device : {&first, &second}) {
    const Allocation data(*device, 512);
    device->fill(data.pointer(), 1, 128);
    const ModuleId module = device->load(image(test::kBasicPtx), "basic");
    device->launch(basic(module, "add_one", data.pointer(), 128), LaunchMode::run);
    CHECK(words_at(*device, data.pointer(), 128) == std::vector<std::uint32_t>(128, 2));
  }
  const Allocation mine(first, 512);
  const ModuleId module = second.load(image(test::kBasicPtx), "basic");
  CHECK(fault_of([&] { second.launch(basic(module, "add_one", mine.pointer(), 128), LaunchMode::run); }).kind() ==
        FaultKind::illegal_address);
}

TEST_CASE("emulated device: tensor maps carry their description, bad ones are refused", "[emu][device]") {
  EmuDevice device = emulated();
  const Allocation data(device, 1 << 20);
  TensorMapSpec spec;
  spec.tensor = "A";
  spec.offset_bytes = 256;
  spec.dtype = DType::bf16;
  spec.dims = {512, 100};
  spec.stride_bytes = {1024};
  spec.box = {64, 128};
  spec.swizzle = Swizzle::b128;
  const TensorMap map = device.encode(spec, data.pointer());
  emu::EncodedTensorMap decoded;
  std::memcpy(&decoded, map.words, sizeof decoded);
  CHECK(decoded.magic == emu::EncodedTensorMap::kMagic);
  CHECK(decoded.base == data.pointer() + 256);
  CHECK(decoded.rank == 2);
  CHECK(decoded.dims[1] == 100);
  CHECK(decoded.box[1] == 128);
  CHECK(decoded.swizzle == Swizzle::b128);
  spec.box = {128, 128};
  CHECK(fault_of([&] { device.encode(spec, data.pointer()); }).kind() == FaultKind::load_failed);
}

TEST_CASE("emulated device: mapped memory is the same on both sides", "[emu][device]") {
  EmuDevice device = emulated();
  const MappedMemory memory = device.allocate_mapped(512);
  std::memset(memory.host, 0, 512);
  const ModuleId module = device.load(image(test::kBasicPtx), "basic");
  device.launch(basic(module, "add_one", memory.device, 128), LaunchMode::run);
  CHECK(static_cast<const std::uint32_t*>(memory.host)[127] == 1);
  device.release_mapped(memory);
}

TEST_CASE("emulated device: options of the environment", "[emu][device]") {
  setenv("KERLAB_EMU_THREADS", "3", 1);
  setenv("KERLAB_EMU_BUDGET", "1000", 1);
  CHECK(emu_options_from_environment().threads == 3);
  CHECK(emu_options_from_environment().instruction_budget == 1000);
  for (const char* wrong : {"0", "-1", "x", "2x"}) {
    setenv("KERLAB_EMU_THREADS", wrong, 1);
    CHECK_THROWS_AS(emu_options_from_environment(), UsageError);
  }
  unsetenv("KERLAB_EMU_THREADS");
  unsetenv("KERLAB_EMU_BUDGET");
  CHECK(emu_options_from_environment().threads >= 1);
  CHECK(emu_options_from_environment().instruction_budget == 1 << 28);
}
