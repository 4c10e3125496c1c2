// ScriptDevice: what launches do.
#include <fmt/format.h>

#include <cstring>
#include <thread>

#include "device/script/script_device.h"
#include "device/script/scripted_end.h"

namespace kerlab::device {
namespace {

constexpr double kReferenceUs = 50;

/// Addresses among a launch's arguments, in order.
std::vector<DevicePtr> pointers_of(const BoundLaunch& launch, const ScriptedMemory& memory) {
  std::vector<DevicePtr> pointers;
  for (const auto& bytes : launch.arguments) {
    DevicePtr pointer = 0;
    if (bytes.size() != sizeof pointer) continue;
    std::memcpy(&pointer, bytes.data(), sizeof pointer);
    if (memory.contains(pointer, 1)) pointers.push_back(pointer);
  }
  return pointers;
}

}  // namespace

LaunchReport ScriptDevice::launch(const BoundLaunch& launch, LaunchMode mode) {
  if (mode == LaunchMode::count || mode == LaunchMode::sanitize)
    throw DeviceFault(FaultKind::unsupported, "a scripted device neither counts nor sanitizes", false);
  now_us_ += script_.launch_overhead_us;
  run(launch);
  return {};
}

GraphId ScriptDevice::capture(std::span<const BoundLaunch> launches, int repeats) {
  require_alive();
  graphs_[next_id_] = {{launches.begin(), launches.end()}, repeats};
  return next_id_++;
}

void ScriptDevice::launch_graph(GraphId graph) {
  const Graph& captured = graphs_.at(graph);
  for (int i = 0; i < captured.repeats; ++i)
    for (const BoundLaunch& launch : captured.launches) run(launch);
}

void ScriptDevice::run(const BoundLaunch& launch) {
  require_alive();
  if (hanging_) return;  // queued behind a kernel that never ends
  Module& module = modules_.at(launch.module);
  if (is_reference(module.label)) {
    now_us_ += kReferenceUs;
  } else if (is_lab(module.label)) {
    const bool sick = module.rule != nullptr && module.rule->outcome != Outcome::ok;
    now_us_ += lab_.run(launch, now_us_, sick, damage_);
    if (launch.kernel == "lab_compare") {
      event_since_compare_ = false;
      if (const auto last = modules_.find(last_configuration_); last != modules_.end()) last->second.compared = true;
    }
  } else {
    last_configuration_ = launch.module;
    run_configuration(module, launch);
  }
}

void ScriptDevice::run_configuration(Module& module, const BoundLaunch& launch) {
  const ScriptTiming& timing = module.rule != nullptr ? module.rule->timing : script_.timing;
  const double us = scripted_us(timing, module.label, launches_before_ + module.launches);
  now_us_ += us;
  if (script_.real_sleep) std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(us));
  const bool timed = module.compared && event_since_compare_;
  const std::int64_t all_before = module.launches++;
  const std::int64_t timed_before = timed ? module.timed_launches++ : 0;
  damage_.last = Outcome::ok;
  damage_.label = module.label;
  if (module.rule == nullptr || module.rule->stage == ScriptStage::load) return;
  const bool at_time = module.rule->stage == ScriptStage::time;
  if (at_time && !timed) return;
  if ((at_time ? timed_before : all_before) < module.rule->after) return;
  if (happens_now(*module.rule)) happen(module.rule->outcome, module, launch);
}

void ScriptDevice::happen(Outcome outcome, Module& module, const BoundLaunch& launch) {
  const std::vector<DevicePtr> pointers = pointers_of(launch, memory_);
  switch (outcome) {
    case Outcome::ok:
      return;
    case Outcome::wrong:
    case Outcome::nan:
      damage_.last = outcome;
      return;
    case Outcome::guard:
      damage_.guard = true;
      return;
    case Outcome::input_modified:
      if (!pointers.empty()) ++damage_.modified[pointers.front()];
      return;
    case Outcome::flaky: {
      const bool odd = module.launches % 2 == 0;  // the first launch has made this 1
      damage_.last = odd ? Outcome::wrong : Outcome::ok;
      if (!pointers.empty()) damage_.modified[pointers.back()] = odd ? 1 : 0;  // a repeat differs bit by bit
      return;
    }
    case Outcome::illegal_address:
      return break_down(FaultKind::illegal_address, launch);
    case Outcome::misaligned_address:
      return break_down(FaultKind::misaligned_address, launch);
    case Outcome::trap:
      return break_down(FaultKind::trap, launch);
    case Outcome::hang:
      hanging_ = true;
      return;
    case Outcome::sigkill:
    case Outcome::abort:
      end_process(outcome);
    case Outcome::out_of_memory:
      throw DeviceFault(FaultKind::out_of_memory,
                        fmt::format("kernel '{}': the script says out_of_memory", launch.kernel), false);
    case Outcome::load_failed:
      throw DeviceFault(FaultKind::load_failed, fmt::format("kernel '{}': the script says load_failed", launch.kernel),
                        false);
    case Outcome::launch_failed:
      throw DeviceFault(FaultKind::launch_failed,
                        fmt::format("kernel '{}': the script says launch_failed", launch.kernel), false);
  }
}

void ScriptDevice::break_down(FaultKind kind, const BoundLaunch& launch) {
  // Like a GPU: the launch itself succeeds, whoever waits for it learns of the fault.
  if (!broken_)
    broken_.emplace(kind, fmt::format("kernel '{}': the script says {}", launch.kernel, device::name(kind)), true);
}

}  // namespace kerlab::device
