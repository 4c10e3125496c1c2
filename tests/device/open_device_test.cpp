#include <fstream>

#include "base/temporary_folder.h"
#include "catch.h"
#include "device/cuda/cuda_fault.h"
#include "device/cuda/driver_api.h"
#include "device/cuda/nvml.h"
#include "device/device.h"
#include "device/launch_limits.h"

using namespace kerlab;

TEST_CASE("device: an id that is none names the forms", "[device]") {
  for (const char* id : {"", "cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "gpu0"}) {
    INFO(id);
    try {
      open_device(id);
      FAIL("opened");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::usage);
      CHECK(std::string(error.what()).find("cuda:N") != std::string::npos);
    }
  }
}

TEST_CASE("device: without driver and GPU, cuda:0 and gpu say so, and auto emulates an H200", "[device]") {
  if (has_driver_library() || has_gpu_nodes()) return;
  for (const char* id : {"gpu", "cuda:0"}) {
    try {
      open_device(id);
      FAIL("opened");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::failed);
      CHECK(std::string(error.what()).find("no GPU here") == 0);
      CHECK(std::string(error.what()).find("emu:h200") != std::string::npos);
    }
  }
  CHECK(open_device("auto")->info().id == "emu:h200");
}

TEST_CASE("device: emulated ones by the name of their profile", "[device]") {
  CHECK(open_device("emu:a100")->info().arch() == "sm_80");
  const auto code_of = [](const char* id) {
    try {
      open_device(id);
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode::passed;
  };
  CHECK(code_of("emu:b900") == ExitCode::usage);
  CHECK(code_of("emu:") == ExitCode::usage);
  CHECK(code_of("emu:mi300x") == ExitCode::inconclusive);
}

TEST_CASE("device: GPU nodes are recognised by name", "[device]") {
  const TemporaryFolder folder;
  CHECK_FALSE(has_gpu_nodes(folder.path()));
  CHECK_FALSE(has_gpu_nodes(folder.path() / "absent"));
  std::ofstream(folder.path() / "nvidiactl") << "";
  std::ofstream(folder.path() / "nvidia-uvm") << "";
  CHECK_FALSE(has_gpu_nodes(folder.path()));
  std::ofstream(folder.path() / "nvidia3") << "";
  CHECK(has_gpu_nodes(folder.path()));
}

TEST_CASE("device: results of the driver become faults", "[device]") {
  const auto kind = [](CUresult result) { return classify(result, FaultKind::other).kind; };
  CHECK(kind(CUDA_ERROR_ILLEGAL_ADDRESS) == FaultKind::illegal_address);
  CHECK(kind(CUDA_ERROR_MISALIGNED_ADDRESS) == FaultKind::misaligned_address);
  CHECK(kind(CUDA_ERROR_ILLEGAL_INSTRUCTION) == FaultKind::trap);
  CHECK(kind(CUDA_ERROR_ASSERT) == FaultKind::trap);
  CHECK(kind(CUDA_ERROR_LAUNCH_FAILED) == FaultKind::launch_failed);
  CHECK(kind(CUDA_ERROR_LAUNCH_TIMEOUT) == FaultKind::timeout);
  CHECK(kind(CUDA_ERROR_OUT_OF_MEMORY) == FaultKind::out_of_memory);
  CHECK(kind(CUDA_ERROR_NO_BINARY_FOR_GPU) == FaultKind::load_failed);
  CHECK(kind(CUDA_ERROR_UNSUPPORTED_PTX_VERSION) == FaultKind::load_failed);
  CHECK(classify(CUDA_ERROR_INVALID_VALUE, FaultKind::launch_failed).kind == FaultKind::launch_failed);
  CHECK(classify(CUDA_ERROR_LAUNCH_FAILED, FaultKind::other).sticky);
  CHECK(classify(CUDA_ERROR_ILLEGAL_ADDRESS, FaultKind::other).sticky);
  CHECK_FALSE(classify(CUDA_ERROR_OUT_OF_MEMORY, FaultKind::other).sticky);
  CHECK_FALSE(classify(CUDA_ERROR_INVALID_VALUE, FaultKind::other).sticky);
}

TEST_CASE("device: impossible launches are refused in words", "[device]") {
  DeviceInfo device;
  device.cc_major = 9;
  device.threads_per_block = 1024;
  device.shared_per_block = 232448;
  KernelResources resources;
  resources.static_shared = 1024;
  Launch launch;
  launch.kernel = "k";
  launch.block = {256, 1, 1};
  launch.dynamic_shared = 231424;
  CHECK(launch_limit_error(device, launch, resources).empty());
  launch.dynamic_shared += 1;
  CHECK(launch_limit_error(device, launch, resources) ==
        "kernel 'k': 232449 bytes of shared memory a block (231425 dynamic + 1024 static), 1 more than the device's "
        "232448");
  launch.dynamic_shared = 0;
  launch.block = {1025, 1, 1};
  CHECK(launch_limit_error(device, launch, resources) ==
        "kernel 'k': block 1025x1x1 is larger than the device's 1024 threads");
  launch.block = {512, 1, 1};
  resources.max_threads = 256;
  resources.registers = 255;
  CHECK_FALSE(launch_limit_error(device, launch, resources).empty());
  resources.max_threads = 0;
  launch.grid = {1, 65536, 1};
  CHECK_FALSE(launch_limit_error(device, launch, resources).empty());
  launch.grid = {3, 1, 1};
  launch.cluster = {2, 1, 1};
  CHECK(launch_limit_error(device, launch, resources) ==
        "kernel 'k': grid 3x1x1 is not a multiple of cluster 2x1x1: round it up in the spec");
  launch.grid = {4, 1, 1};
  CHECK(launch_limit_error(device, launch, resources).empty());
  launch.grid = launch.cluster = {32, 1, 1};
  CHECK(launch_limit_error(device, launch, resources) == "kernel 'k': cluster 32x1x1 is larger than 16 blocks");
  launch.grid = launch.cluster = {4, 1, 1};
  device.cc_major = 8;
  CHECK_FALSE(launch_limit_error(device, launch, resources).empty());
}

TEST_CASE("device: throttle reasons in words", "[device]") {
  CHECK(clock_reasons(0).empty());
  CHECK(clock_reasons(0x1).empty());  // idle
  CHECK(clock_reasons(0x4) == "power cap");
  CHECK(clock_reasons(0x44) == "power cap + hardware thermal");
}
