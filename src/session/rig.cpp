#include "session/rig.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/file.h"

namespace kerlab {

namespace {

std::string program(const RigOptions& options) {
  return (options.program.empty() ? executable_path() : options.program).string();
}

/// Within one major version any driver runs any toolkit's cubins; a toolkit of a newer major version needs a newer
/// driver. Throws Error. `toolchain` is "NVRTC 13.0".
void require_driver_for(const std::string& toolchain, const DeviceInfo& device) {
  const int driver = device.driver_version;  // 0: a device that has none
  if (driver == 0 || driver / 1000 >= std::stoi(toolchain.substr(toolchain.find(' ') + 1))) return;
  throw Error(fmt::format("the driver of {} supports CUDA {}.{} at most, too old for {}: update the driver, or set "
                          "CUDA_HOME to a toolkit of CUDA {}",
                          device.id, driver / 1000, driver % 1000 / 10, toolchain, driver / 1000),
              ExitCode::inconclusive);
}

std::filesystem::path shipped_kernels() {
  return share_folder() / "kernels";
}

}  // namespace

CompilerPool::Options compiler_options(const RigOptions& options) {
  CompilerPool::Options result;
  result.executable = program(options);
  result.processes = options.jobs;
  result.deadline = options.compile_deadline;
  result.cache_folder = cache_folder();
  result.use_cache = options.use_cache;
  return result;
}

WorkerClient::Options worker_options(const RigOptions& options) {
  WorkerClient::Options result;
  result.command = options.worker_command;
  if (result.command.empty()) result.command = {program(options), "worker"};
  result.device_id = options.device;
  return result;
}

void announce_fallback(const RigOptions& options, const DeviceInfo& device) {
  if (options.device != "auto" || device.kind != DeviceKind::emulated) return;
  const std::string model = device.name.substr(device.name.find(' ') + 1);  // "Emulated H200"
  fmt::print(stderr, "no GPU here: emulating an {} ({}); times are modelled, not measured\n", model, device.id);
}

Catalogue open_catalogue(const std::vector<std::filesystem::path>& kernels) {
  std::vector<std::filesystem::path> roots = kernels;
  if (const char* listed = std::getenv("KERLAB_KERNELS")) {
    std::istringstream stream(listed);
    for (std::string folder; std::getline(stream, folder, ':');) {
      if (!folder.empty()) roots.emplace_back(folder);
    }
  }
  roots.push_back(shipped_kernels());
  return Catalogue(std::move(roots));
}

SourceBundle read_kernel_source(const std::filesystem::path& file) {
  return read_source(file, {file.parent_path().parent_path(), shipped_kernels()});
}

SourceBundle read_lab_source() {
  return read_source(shipped_kernels() / "common" / "lab.cu", {shipped_kernels()});
}

Rig::Rig(const RigOptions& options) : Rig(options, open_catalogue(options.kernels).find(options.target)) {}

Rig::Rig(const RigOptions& options, KernelFolder folder)
    : folder_(std::move(folder)), compilers_(compiler_options(options)), runner_(worker_options(options)) {
  device_ = runner_.start();
  announce_fallback(options, device_);
  toolchain_ = compilers_.toolchain();
  require_driver_for(toolchain_, device_);
}

void Rig::wait(std::chrono::milliseconds longest) const {
  std::vector<pollfd> descriptors;
  for (const int fd : compilers_.fds()) descriptors.push_back({fd, POLLIN, 0});
  for (const int fd : runner_.fds()) descriptors.push_back({fd, POLLIN, 0});
  const Clock::time_point until = std::min({compilers_.deadline(), runner_.deadline(), Clock::now() + longest});
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(std::max<std::int64_t>(0, left)));
}

}  // namespace kerlab
