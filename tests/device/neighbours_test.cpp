// Who else is on a GPU, as told by a pretended NVML that LD_LIBRARY_PATH puts first.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/child.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "device/cuda/gpu_neighbours.h"
#include "locations.h"

using namespace kerlab;

namespace {

/// Runs the child below in a process with the pretended NVML: what it lists before the context, then at each look.
std::string looks(const std::string& uuid, const std::vector<std::string>& lists) {
  if (!std::filesystem::exists(pretended_driver("nvml"))) {
    WARN("skipped: the pretended NVML is not part of an installed tree");
    return "skipped";
  }
  const TemporaryFolder folder;
  std::vector<std::string> environment = {"LD_LIBRARY_PATH=" + pretended_driver("nvml").string(),
                                          "KERLAB_FAKE_NVML=" + (folder.path() / "list").string(),
                                          "KERLAB_TEST_UUID=" + uuid};
  for (std::size_t i = 0; i < lists.size(); ++i)
    environment.push_back(fmt::format("KERLAB_TEST_LIST{}={}", i, lists[i]));
  const auto result =
      run_process({executable_path().string(), "[child-neighbours]"}, std::chrono::seconds(30), environment);
  const auto begin = result.out.find("seen: ");
  return begin == std::string::npos ? "no answer: " + result.out + result.err
                                    : result.out.substr(begin + 6, result.out.find('\n', begin) - begin - 6);
}

void pretend(int look) {
  const char* list = std::getenv(fmt::format("KERLAB_TEST_LIST{}", look).c_str());
  std::string text = list != nullptr ? list : "";
  std::replace(text.begin(), text.end(), ';', '\n');
  write_atomic(std::getenv("KERLAB_FAKE_NVML"), std::string_view(text));
}

}  // namespace

TEST_CASE("neighbours child", "[.][child-neighbours]") {
  const Nvml nvml;
  pretend(0);
  GpuNeighbours neighbours(nvml, std::getenv("KERLAB_TEST_UUID"));
  std::string seen;
  for (int look = 1; std::getenv(fmt::format("KERLAB_TEST_LIST{}", look).c_str()) != nullptr; ++look) {
    pretend(look);
    if (look > 1) seen += " | ";
    for (const ForeignProcess& process : neighbours.look())
      seen += fmt::format("{}{} {}", seen.empty() || seen.ends_with(' ') ? "" : ", ", name_all({process}),
                          process.memory_bytes ? *process.memory_bytes >> 20 : -1);
  }
  std::printf("seen: %s\n", seen.c_str());
}

TEST_CASE("neighbours: processes are named, this one and its siblings are not among them", "[device]") {
  const Child sleeper = Child::spawn({"sleep", "30"});
  const std::string pid = fmt::format("{}", getpid());  // of this test: to the child a process like any other
  const std::string self = executable_path().filename().string();
  const std::string others = fmt::format("self 100;{} 512;{} 7", pid, sleeper.pid());
  const std::string answer = looks("GPU-1", {"", others, others + ";" + pid + " 512 graphics"});
  if (answer == "skipped") return;
  const std::string expected = fmt::format("{} (pid {}) 512", self, pid);
  CHECK(answer == expected + " | " + expected);
}

TEST_CASE("neighbours: graphics count, and memory may be unknown", "[device]") {
  const std::string answer = looks("GPU-1", {"", "self 100", fmt::format("self 100;{} -1 graphics", getpid())});
  if (answer == "skipped") return;
  CHECK_THAT(answer,
             Catch::Contains(fmt::format(" | {} (pid {}) -1", executable_path().filename().string(), getpid())));
}

TEST_CASE("neighbours: in a container, who was there before the context is another", "[device]") {
  // Process numbers of the machine: none of them is anybody here.
  const std::string answer =
      looks("GPU-1", {"9999901 10", "9999901 10;9999902 20", "9999902 20", "9999902 20;9999903 30"});
  if (answer == "skipped") return;
  const std::string unnamed = "a process of another user or container (pid 99999";
  CHECK(answer == unnamed + "01) 10 |  | " + unnamed + "03) 30");
}

TEST_CASE("neighbours: where NVML knows nothing of the GPU, nobody is named", "[device]") {
  const std::string answer = looks("unknown", {"", "self 100;1 512"});
  if (answer == "skipped") return;
  CHECK(answer.empty());
  const Nvml none;  // not there on this machine, or without such a GPU
  CHECK(none.processes("GPU-none").empty());
}
