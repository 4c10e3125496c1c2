// A driver that is installed and does not work, pretended by a library that LD_LIBRARY_PATH puts first.
#include <cstdio>

#include "base/child.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "device/cuda/driver_api.h"
#include "device/device.h"
#include "locations.h"

using namespace kerlab;

namespace {

/// "CODE MESSAGE" of opening the device in a process that finds the library in `folder`.
std::string open_with(const std::filesystem::path& folder, const std::string& device, int init_result,
                      const std::vector<std::string>& more = {}) {
  std::vector<std::string> environment = {"LD_LIBRARY_PATH=" + folder.string(), "KERLAB_TEST_DEVICE=" + device,
                                          "KERLAB_FAKE_CUINIT=" + std::to_string(init_result)};
  environment.insert(environment.end(), more.begin(), more.end());
  const auto result = run_process({executable_path().string(), "[child-open]"}, std::chrono::seconds(30), environment);
  const auto begin = result.out.find("opened: ");
  return begin == std::string::npos ? "no answer: " + result.out + result.err
                                    : result.out.substr(begin + 8, result.out.find('\n', begin) - begin - 8);
}

bool have(const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder)) return true;
  WARN("skipped: the pretended driver is not part of an installed tree");
  return false;
}

}  // namespace

TEST_CASE("open child", "[.][child-open]") {
  try {
    open_device(std::getenv("KERLAB_TEST_DEVICE"));
    std::printf("opened: yes\n");
  } catch (const Error& error) {
    std::printf("opened: %d %s\n", static_cast<int>(error.code()), error.what());
  }
}

TEST_CASE("device: a broken driver is an error that names the code, for auto too", "[device]") {
  if (!have(pretended_driver("fake"))) return;
  for (const char* device : {"auto", "cuda:0"}) {
    const std::string answer = open_with(pretended_driver("fake"), device, 803);
    INFO(answer);
    CHECK(answer.find("1 the NVIDIA driver is broken: cuInit says CUDA_ERROR_FAKE (803): pretended") == 0);
  }
}

TEST_CASE("device: a driver's library that cannot be loaded is a broken driver, not none", "[device]") {
  const TemporaryFolder folder;
  write_atomic(folder.path() / "libcuda.so.1", std::string_view("not a library"));
  for (const char* device : {"auto", "cuda:0"}) {
    const std::string answer = open_with(folder.path(), device, 0);
    INFO(answer);
    CHECK(answer.find("1 the NVIDIA driver is broken: its library is there but cannot be loaded:") == 0);
    CHECK(answer.find("libcuda.so.1") != std::string::npos);
  }
}

TEST_CASE("device: a driver without a GPU", "[device]") {
  if (!have(pretended_driver("fake")) || has_gpu_nodes()) return;
  const std::string answer = open_with(pretended_driver("fake"), "auto", 100);
  INFO(answer);
  CHECK(answer.find("1 no GPU here: the driver is installed, but there is no /dev/nvidia*") == 0);
}

TEST_CASE("device: GPUs that CUDA_VISIBLE_DEVICES hides are no broken driver", "[device]") {
  if (!have(pretended_driver("fake"))) return;
  const std::string answer = open_with(pretended_driver("fake"), "auto", 100, {"CUDA_VISIBLE_DEVICES="});
  INFO(answer);
  CHECK(answer.find("1 ") == 0);
  CHECK(answer.find(has_gpu_nodes() ? "every GPU is hidden" : "no GPU here") == 2);
  CHECK(answer.find("CUDA_VISIBLE_DEVICES is ''") != std::string::npos);
}

TEST_CASE("device: a driver too old is told by what it lacks", "[device]") {
  if (!have(pretended_driver("old"))) return;
  const std::string answer = open_with(pretended_driver("old"), "cuda:0", 0);
  INFO(answer);
  CHECK(answer.find("4 the NVIDIA driver is too old: its libcuda.so.1 has no cuLaunchKernelEx") == 0);
}
