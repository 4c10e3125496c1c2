#include "device/script/lab_kernels.h"

#include <bit>
#include <cmath>
#include <limits>

#include "common/canary.h"
#include "common/lab_abi.h"
#include "device/lab_arguments.h"

namespace kerlab::device {
namespace {

constexpr double kKernelUs = 2;      // of a kernel that does little
constexpr double kStartUs = 1e6;     // globaltimer at virtual time 0
constexpr double kPeakRatio = 0.85;  // of the theoretical rates, reached by copies and by the ceiling kernels

double threads_of(const BoundLaunch& launch) {
  return static_cast<double>(launch.grid.x) * launch.grid.y * launch.grid.z * launch.block.x * launch.block.y *
         launch.block.z;
}

void set_worst(lab::CompareReport& report, std::uint64_t index, double ratio, double got, double expected,
               double tolerance) {
  report.max_ratio = ratio;
  report.worst_index = static_cast<lab::i64>(index) + 1;
  report.worst_got = got;
  report.worst_expected = expected;
  report.worst_tolerance = tolerance;
  report.worst_key = (std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(ratio))} << 32) |
                     static_cast<std::uint32_t>(~index);
}

/// A multiply-add kernel's floating-point operations per clock and SM (Hopper), and the operations it does.
struct PeakWork {
  double per_clock = 256;
  double operations = 0;
};

PeakWork peak_work(const BoundLaunch& launch, const DeviceInfo& device, double iterations) {
  const double warps = threads_of(launch) / 32;
  const auto fma = [&](double per_clock, double lanes) {
    return PeakWork{per_clock, threads_of(launch) * iterations * lab::kFmaChains * lab::kFmaSteps * 2 * lanes};
  };
  const auto mma = [&](double per_clock, double k) {
    return PeakWork{per_clock, warps * iterations * lab::kMmaChains * 16 * 8 * k * 2};
  };
  if (launch.kernel == "lab_fma_fp64") return fma(256 * device.fp64_ratio, 1);
  if (launch.kernel == "lab_fma_fp16") return fma(512, 2);
  if (launch.kernel == "lab_mma_tf32") return mma(2048, 8);
  if (launch.kernel == "lab_mma_int8") return mma(8192, 32);
  if (launch.kernel.starts_with("lab_mma_")) return mma(4096, 16);
  return fma(256, 1);
}

}  // namespace

double LabKernels::run(const BoundLaunch& launch, double now_us, bool sick, ScriptedDamage& damage) {
  const std::string& kernel = launch.kernel;
  if (kernel == "lab_fill") return fill(launch, damage);
  if (kernel == "lab_guard_scan") return guard_scan(launch, damage);
  if (kernel == "lab_repitch") {
    const auto a = lab_arguments<lab::RepitchArguments>(launch);
    return move_us(2.0 * static_cast<double>(a.rows * a.row_bytes));
  }
  if (kernel == "lab_hash") return hash(launch, damage);
  if (kernel == "lab_compare") return compare(launch, damage);
  if (kernel == "lab_clock") return clock(launch, now_us);
  if (kernel == "lab_canary") return canary(launch, sick);
  if (kernel == "lab_flush")
    return move_us(8.0 * static_cast<double>(lab_arguments<lab::FlushArguments>(launch).words));
  if (kernel == "lab_copy")
    return move_us(2.0 * static_cast<double>(lab_arguments<lab::BandwidthArguments>(launch).bytes));
  if (kernel == "lab_read" || kernel == "lab_write")
    return move_us(static_cast<double>(lab_arguments<lab::BandwidthArguments>(launch).bytes));
  if (kernel.starts_with("lab_fma_") || kernel.starts_with("lab_mma_")) {
    const auto iterations = static_cast<double>(lab_arguments<lab::PeakArguments>(launch).iterations);
    const PeakWork work = peak_work(launch, device_, iterations);
    return kKernelUs + work.operations / (kPeakRatio * work.per_clock * device_.sms * device_.clock_mhz);
  }
  return kKernelUs;  // lab_blocker: nothing waits here
}

template <typename Report>
Report& LabKernels::report(DevicePtr base, std::uint32_t slot) {
  return *static_cast<Report*>(memory_.at(base + slot * sizeof(Report), sizeof(Report)));
}

double LabKernels::fill(const BoundLaunch& launch, ScriptedDamage& damage) {
  const auto a = lab_arguments<lab::FillArguments>(launch);
  const double bytes = static_cast<double>(bytes_of(static_cast<DType>(a.dtype), a.count));
  const auto end = a.out + static_cast<std::uint64_t>(bytes);
  damage.modified.erase(damage.modified.lower_bound(a.out), damage.modified.lower_bound(end));
  return move_us(bytes);
}

double LabKernels::guard_scan(const BoundLaunch& launch, ScriptedDamage& damage) {
  const auto a = lab_arguments<lab::GuardArguments>(launch);
  auto& found = report<lab::GuardReport>(a.report, a.slot);
  if (damage.guard && a.words > 0) {
    found.damaged += 4;
    found.first = 1;
    damage.guard = false;
  }
  return move_us(4.0 * static_cast<double>(a.words));
}

double LabKernels::hash(const BoundLaunch& launch, const ScriptedDamage& damage) {
  const auto a = lab_arguments<lab::HashArguments>(launch);
  std::uint64_t sum = 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(a.bytes + 1);
  const auto end = damage.modified.lower_bound(a.data + static_cast<std::uint64_t>(a.bytes));
  for (auto it = damage.modified.lower_bound(a.data); it != end; ++it) sum += it->second;
  report<lab::u64>(a.report, a.slot) += sum;
  return move_us(static_cast<double>(a.bytes));
}

double LabKernels::compare(const BoundLaunch& launch, const ScriptedDamage& damage) {
  const auto a = lab_arguments<lab::CompareArguments>(launch);
  auto& found = report<lab::CompareReport>(a.report, 0);
  const auto count = static_cast<std::uint64_t>(a.count);
  found.compared = count;
  if (count == 0) return kKernelUs;
  if (damage.last == Outcome::wrong) {
    found.mismatches += std::max<std::uint64_t>(1, count / 8);
    found.sum_square_ratio += static_cast<double>(count) * 100;
    set_worst(found, count / 2, 25, 3.5, 3.25, 0.01);
  } else if (damage.last == Outcome::nan) {
    const std::uint64_t nans = std::max<std::uint64_t>(1, count / 16);
    found.nans += nans;
    found.mismatches += nans;
    set_worst(found, count / 2, std::numeric_limits<double>::infinity(), std::nan(""), 3.25, 0.01);
  } else if (a.exact == 0) {
    const double ratio = 0.05 + 0.5 * hash01(damage.label + " error");
    found.sum_square_ratio += static_cast<double>(count) * ratio * ratio / 16;
    set_worst(found, count / 2, ratio, 3.25 + 0.01 * ratio, 3.25, 0.01);
  }
  return move_us(20.0 * static_cast<double>(count));
}

double LabKernels::clock(const BoundLaunch& launch, double now_us) {
  const auto a = lab_arguments<lab::ClockArguments>(launch);
  report<lab::u64>(a.out, 0) = static_cast<lab::u64>(std::llround((kStartUs + now_us) * device_.clock_mhz));
  report<lab::u64>(a.out, 1) = static_cast<lab::u64>(std::llround((kStartUs + now_us) * 1000));
  return kKernelUs;
}

double LabKernels::canary(const BoundLaunch& launch, bool sick) {
  const auto a = lab_arguments<lab::CanaryArguments>(launch);
  auto* out = static_cast<lab::u32*>(memory_.at(a.out, static_cast<std::size_t>(a.count) * sizeof(lab::u32)));
  for (lab::i64 i = 0; i < a.count; ++i) out[i] = lab::canary_expected(i) ^ (sick ? 1u : 0u);
  return kKernelUs;
}

double LabKernels::move_us(double bytes) const {
  const double bytes_per_us = 2.0 * device_.memory_clock_mhz * device_.memory_bus_bits / 8;  // double data rate
  return kKernelUs + (bytes_per_us > 0 ? bytes / (kPeakRatio * bytes_per_us) : 0);
}

}  // namespace kerlab::device
