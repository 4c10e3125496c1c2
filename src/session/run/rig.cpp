#include "session/run/rig.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/notice.h"
#include "session/run/device_ids.h"

namespace kerlab::session {

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
  result.patience = options.lock_patience;
  result.plugins = options.libraries;
  return result;
}

void announce_fallback(const RigOptions& options, const DeviceInfo& device) {
  if (options.device != "auto" || device.has_clock) return;
  const std::string model = device.name.substr(device.name.find(' ') + 1);  // "Emulated H200"
  print_notice(fmt::format("no GPU here: emulating an {} ({}); times are modelled, not measured", model, device.id));
}

Catalogue open_catalogue(const KernelPlaces& kernels) {
  std::vector<std::filesystem::path> roots = kernels.families;
  roots.push_back(shipped_kernels());
  return Catalogue(std::move(roots), kernels.headers);
}

namespace {

SourceBundle read_with_headers(const std::filesystem::path& file, const std::vector<std::filesystem::path>& headers) {
  const std::filesystem::path folder = file.parent_path(), above = folder.parent_path();
  std::vector<std::filesystem::path> includes{above, shipped_kernels()};
  std::error_code ignored;
  // In a folder below its family's, such as ladder/, `common` is one further up.
  if (!std::filesystem::exists(folder / "family.toml", ignored) &&
      std::filesystem::exists(above / "family.toml", ignored))
    includes.insert(includes.begin() + 1, above.parent_path());
  return read_source(file, includes, headers);
}

}  // namespace

SourceBundle read_kernel_source(const Variant& variant) {
  return read_with_headers(variant.source, variant.headers);
}

SourceBundle read_kernel_source(const Family& family) {
  if (family.reference_source.empty()) return {};
  return read_with_headers(family.reference_source, family.headers);
}

SourceBundle read_lab_source() {
  return read_source(shipped_kernels() / "common" / "lab.cu", {shipped_kernels()});
}

SourceBundle read_ceilings_source() {
  return read_source(shipped_kernels() / "common" / "ceilings.cu", {shipped_kernels()});
}

Rig::Rig(const RigOptions& options)
    : Rig(options, open_catalogue(options.kernels).find(options.target, options.named)) {}

Rig::Rig(const RigOptions& options, KernelFolder folder) : options_(options), folder_(std::move(folder)) {
  RigProcesses kept;
  if (options.kept) kept = options.kept->take(options);
  compilers_ = kept.compilers ? std::move(kept.compilers) : std::make_unique<CompilerPool>(compiler_options(options));
  busy_before_ = compilers().busy_seconds();
  const bool opened_before = !kept.runners.empty();
  start_workers(std::move(kept.runners));
  if (!opened_before) announce_fallback(options, device());
  toolchain_ = compilers().toolchain();
  require_driver_for(toolchain_, device());
}

/// Contexts take their time, so all are made at once.
void Rig::start_workers(std::vector<std::unique_ptr<CandidateRunner>> kept) {
  if (kept.empty()) {
    RigOptions one = options_;
    for (std::string& id : device_ids(options_.device, options_.worker_command.empty())) {
      one.device = std::move(id);
      kept.push_back(std::make_unique<CandidateRunner>(worker_options(one)));
    }
  }
  for (auto& runner : kept) devices_.push_back({std::move(runner), {}, ""});
  for (const RigDevice& device : devices_) device.runner->spawn();
  if (options_.compilers_ahead) compilers().start_all();
  for (RigDevice& device : devices_) device.info = device.runner->greet();
  for (const RigDevice& device : devices_) require_one_model(devices_.front().info, device.info);
}

std::size_t Rig::first() const {
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i].lost.empty()) return i;
  return 0;
}

std::string Rig::device_title() const {
  return devices_.size() == 1 ? device().name : fmt::format("{} x {}", devices_.size(), device().name);
}

void Rig::set_problem(const request::SetProblem& problem) {
  for (const RigDevice& device : devices_) device.runner->set_problem(problem);
}

bool Rig::lose(std::size_t device, const std::string& why) {
  const auto there = std::ranges::count_if(devices_, [](const RigDevice& one) { return one.lost.empty(); });
  if (there == 1) return false;
  devices_[device].lost = why;
  devices_[device].runner->stop();
  return true;
}

Rig::~Rig() {
  if (!options_.kept) return;
  RigProcesses processes{std::move(compilers_), {}};
  // Where one was lost, the next session tries anew.
  const bool all = std::ranges::all_of(devices_, [](const RigDevice& device) { return device.lost.empty(); });
  for (RigDevice& device : devices_)
    if (all) processes.runners.push_back(std::move(device.runner));
  options_.kept->give(options_, std::move(processes));
}

void Rig::wait(std::chrono::milliseconds longest) const {
  std::vector<pollfd> descriptors;
  Clock::time_point until = std::min(compilers().deadline(), Clock::now() + longest);
  for (const int fd : compilers().fds()) descriptors.push_back({fd, POLLIN, 0});
  for (const RigDevice& device : devices_) {
    if (device.runner->idle()) continue;  // what it says is read when it is asked for something
    for (const int fd : device.runner->fds()) descriptors.push_back({fd, POLLIN, 0});
    until = std::min(until, device.runner->deadline());
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(std::max<std::int64_t>(0, left)));
}

void Rig::wait() const {
  end_interrupted_wait();
  wait(longest_wait());
}

}  // namespace kerlab::session
