#include "session/run/devices.h"

#include "device/cuda/cuda_info.h"
#include "device/emu/emu_device_profile.h"

namespace kerlab::session {

namespace {

constexpr DType kOnFma[] = {DType::fp64, DType::fp32, DType::fp16, DType::bf16};
constexpr DType kOnTensorCores[] = {DType::fp64, DType::tf32, DType::fp16, DType::bf16, DType::e4m3, DType::int8};

void list_gpus(DeviceReport& report) {
  try {
    report.gpus = list_cuda_devices();
    if (report.gpus.empty()) report.none_because = "the driver shows no GPU";
  } catch (const Error& error) {
    report.none_because = error.what();
  }
}

}  // namespace

std::vector<PipeRate> pipe_rates(const DeviceInfo& device, const MeasuredCeilings& measured) {
  std::vector<PipeRate> rates;
  const auto add = [&](DType dtype, const std::string& unit) {
    const Ceilings ceilings = theoretical_ceilings(device, dtype, unit == "tensor pipe");
    if (ceilings.unit != unit) return;  // no tensor cores for it
    rates.push_back(
        {std::string(name(dtype)), unit, ceilings.flops_per_s, measured.value(peak_name(dtype, ceilings.unit))});
  };
  for (const DType dtype : kOnFma) add(dtype, "FMA");
  for (const DType dtype : kOnTensorCores) add(dtype, "tensor pipe");
  return rates;
}

DeviceReport look_at_devices(const RigOptions& options, bool measure, Database& database) {
  DeviceReport report;
  list_gpus(report);
  report.emulated = emu::list_emulated_devices(emu::profile_folder());
  const bool asked_for = options.device != "auto" || !options.worker_command.empty() || measure;
  if (!asked_for && report.gpus.empty()) return report;
  if (measure) {
    Rig rig(options, KernelFolder{});
    report.chosen = rig.device();
    report.measured = measure_ceilings(rig, database);
  } else {
    WorkerClient worker(worker_options(options));  // no compiler is needed to look
    report.chosen = worker.start();
    announce_fallback(options, *report.chosen);
    worker.stop();
    report.measured = stored_ceilings(database, *report.chosen);
  }
  report.theoretical_bytes_per_s = theoretical_ceilings(*report.chosen, DType::fp32, false).bytes_per_s;
  report.pipes = pipe_rates(*report.chosen, report.measured);
  return report;
}

}  // namespace kerlab::session
