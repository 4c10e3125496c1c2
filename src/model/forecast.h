#pragma once
// What a candidate may take, guessed before it is compiled: work tiles, waves, the traffic of a tile, the unit that
// its source names. For the order in which candidates are tried, never for a screen.

#include <cstdint>
#include <string_view>

#include "model/roofline.h"

namespace kerlab::model {

/// The fastest unit that a source can use for its products.
enum class Arithmetic { plain, mma_sync, wgmma };
/// By the words in it and its includes: one that is only mentioned counts.
Arithmetic arithmetic_of(std::string_view source);

struct ForeseenWork {
  double flops = 0, bytes = 0;  ///< of the problem
  double outputs = 0;           ///< elements that it writes
  int element_bytes = 4;        ///< of its inputs
  std::int64_t pieces = 1;      ///< blocks, or the tiles of persistent ones
  Arithmetic arithmetic = Arithmetic::plain;
};

/// Microseconds; optimistic. `ceilings`: theoretical, with the tensor pipe's peak where the problem's type has one;
/// `plain_flops_per_s`: of the other pipes.
double forecast_us(const DeviceInfo& device, const Ceilings& ceilings, double plain_flops_per_s,
                   const ForeseenWork& work);

/// What a description predicts of one run.
struct PredictedWork {
  double flops = 0;                           ///< of the problem
  double global_bytes = 0, shared_bytes = 0;  ///< loaded by all threads, through L2 and from shared memory
  Arithmetic arithmetic = Arithmetic::plain;
};

/// Microseconds of the unit of the SMs that has most to do, were it busy all the time: no latency, no barrier, no other
/// instruction. For ratios of two kernels of one problem: what it takes from DRAM is the same.
double busiest_unit_us(const DeviceInfo& device, const Ceilings& ceilings, double plain_flops_per_s,
                       const PredictedWork& work);

}  // namespace kerlab::model
