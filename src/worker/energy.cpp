// What candidates, and the vendor's library beside them, draw under a sustained load.
#include <fmt/format.h>

#include <chrono>

#include "worker/workbench.h"

namespace kerlab::worker {
namespace {

/// NVML's counter of this GPU. Throws Error where there is none.
EnergyMeter nvml_meter(Device& device) {
  const auto* gpu = dynamic_cast<const CudaDevice*>(&device);
  if (gpu == nullptr)
    throw Error(
        fmt::format("energy is counted on a GPU; {} is {} and draws none", device.info().id, device.info().name));
  if (!gpu->energy_joules())
    throw Error(
        fmt::format("no energy counter for {}: it is NVML's (libnvidia-ml.so.1, part of the driver), of GPUs "
                    "from Volta on",
                    device.info().name));
  EnergyMeter meter;
  meter.joules = [gpu] { return gpu->energy_joules().value_or(0); };
  meter.seconds = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  return meter;
}

}  // namespace

std::vector<EnergySample> Workbench::measure_energies(const request::Energy& energy) {
  const EnergyMeter meter = nvml_meter(device_);
  Problem& p = problem();
  p.data.prepare_timing();
  std::vector<Timeable> timeables;
  for (const std::uint32_t id : energy.ids) timeables.push_back(timeable(id));
  if (energy.library)
    for (Timeable& timeable : library_row_timeables()) timeables.push_back(std::move(timeable));
  device_.synchronize();
  std::vector<EnergySample> samples;
  for (const Timeable& timeable : timeables) samples.push_back(measure_energy(p.lab, timeable, energy.seconds, meter));
  p.data.distrust_all();
  return samples;
}

/// A counter that is missing or stands still is not the candidates' fault.
Reply Workbench::serve(const request::Energy& energy) {
  try {
    return reply::Energy{measure_energies(energy), ""};
  } catch (const DeviceFault&) {
    throw;
  } catch (const Error& error) {
    return reply::Energy{{}, error.what()};
  }
}

}  // namespace kerlab::worker
