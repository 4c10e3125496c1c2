#include "session/tune/forecasts.h"

#include <algorithm>

#include "model/forecast.h"
#include "session/shapes/tiles.h"

namespace kerlab::session {

namespace {

Arithmetic arithmetic_in(const SourceBundle& source) {
  Arithmetic most = arithmetic_of(source.text);
  for (const Header& header : source.headers) most = std::max(most, arithmetic_of(header.text));
  return most;
}

ForeseenWork work_of(const ProblemSetup& setup) {
  ForeseenWork work;
  work.flops = setup.plan.flops;
  work.bytes = setup.plan.bytes;
  work.element_bytes = info(setup.problem.dtype).bytes;
  for (const Tensor& tensor : setup.plan.tensors)
    if (tensor.role != Role::input) work.outputs += static_cast<double>(tensor.elements());
  return work;
}

/// Of the launch that has most: blocks, or the tiles of persistent ones.
std::int64_t pieces_of(const Family& family, const Variant& variant, const ProblemSetup& setup,
                       const Configuration& configuration, const DeviceInfo& device) {
  const LaunchPlan plan = instantiate(family, variant, setup.problem, configuration, device).plan;
  const std::vector<std::int64_t> tiles = tiles_of(family, variant, setup.problem, configuration, device);
  std::int64_t most = 1;
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const Dim3& grid = plan.launches[i].grid;
    most = std::max({most, std::int64_t{grid.x} * grid.y * grid.z, i < tiles.size() ? tiles[i] : 0});
  }
  return most;
}

}  // namespace

std::vector<double> forecasts(const CandidateSpace& space, const Family& family, const ProblemSetup& setup,
                              const DeviceInfo& device) {
  const DType dtype = setup.problem.dtype;
  const Ceilings ceilings = theoretical_ceilings(device, dtype, uses_tensor_cores(dtype));
  const double plain = theoretical_ceilings(device, dtype, false).flops_per_s;
  std::vector<double> expected;
  for (const VariantSpace& candidate : space.variants()) {
    const Variant& variant = *candidate.source.variant;
    ForeseenWork work = work_of(setup);
    work.arithmetic = arithmetic_in(candidate.source.source);
    for (const Configuration& configuration : candidate.space.valid) {
      work.pieces = pieces_of(family, variant, setup, configuration, device);
      expected.push_back(forecast_us(device, ceilings, plain, work));
    }
  }
  return expected;
}

double predicted_us(const VariantSource& source, const Configuration& configuration, const ProblemSetup& setup,
                    const DeviceInfo& device) {
  PredictedWork work{setup.plan.flops, 0, 0, arithmetic_in(source.source)};
  for (const auto& [counter, value] : predicted_counts(*source.variant, setup.problem, configuration, device)) {
    if (counter == "global_load_bytes") work.global_bytes = static_cast<double>(value);
    if (counter == "shared_load_bytes") work.shared_bytes = static_cast<double>(value);
  }
  if (work.global_bytes <= 0) return 0;
  const DType dtype = setup.problem.dtype;
  return busiest_unit_us(device, theoretical_ceilings(device, dtype, uses_tensor_cores(dtype)),
                         theoretical_ceilings(device, dtype, false).flops_per_s, work);
}

}  // namespace kerlab::session
