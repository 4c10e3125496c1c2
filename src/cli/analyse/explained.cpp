#include "cli/analyse/explained.h"

#include "cli/analyse/inspected_kernel.h"

namespace kerlab::cli {
namespace {

KnownTime known_time(const RooflinePoint& point) {
  const Measurement& m = point.measurement;
  const std::string who = point.winner            ? "the winner, "
                          : point.shipped.empty() ? "the best stored trial of "
                                                  : "the shipped winner, ";
  const std::string trial = point.trial.id > 0 ? fmt::format(" (trial {})", point.trial.id) : "";
  return {who + point.trial.variant + trial,
          m.median_us,
          m.low_us,
          m.high_us,
          m.clock,
          point.shipped.empty() ? short_class(point.trial.device_class) : point.shipped};
}

/// Of other kernels than the one that is explained.
std::vector<KnownTime> known_times(const Explanation& explanation) {
  std::vector<KnownTime> list;
  for (const RooflinePoint& point : explanation.problem.points) {
    const bool same = explanation.kernel && point.trial.variant == explanation.kernel->trial.variant &&
                      point.trial.configuration == explanation.kernel->trial.configuration && point.shipped.empty();
    if (!same && point.measurement.median_us > 0) list.push_back(known_time(point));
  }
  for (const LibraryTime& time : explanation.problem.library)
    list.push_back({time.label, time.median_us, time.low_us, time.high_us,
                    explanation.times_of == explanation.device.device_class() ? "modelled" : "measured",
                    short_class(explanation.times_of)});
  return list;
}

}  // namespace

Explained to_report(Explanation explanation) {
  Explained e;
  e.title = explanation.problem.title;
  e.device = explanation.device.id;
  e.device_name = explanation.device.name;
  e.sms = explanation.device.sms;
  e.flops = explanation.problem.flops;
  e.bytes = explanation.problem.bytes;
  e.problem = explanation.problem.bottleneck;
  e.bottleneck = std::move(explanation.bottleneck);
  e.theoretical = explanation.problem.theoretical;
  e.roof = explanation.problem.roof;
  e.measured = explanation.problem.measured;
  e.measured_roof = explanation.problem.measured_roof;
  if (e.measured)
    e.measured_on =
        fmt::format("{}, {}", short_class(explanation.times_of), explanation.ceilings_created.substr(0, 10));
  e.known = known_times(explanation);
  e.kernel_name = std::move(explanation.kernel_name);
  if (explanation.kernel) e.kernel = to_report(std::move(*explanation.kernel));
  e.obstacle = std::move(explanation.obstacle);
  e.operations = std::move(explanation.operations);
  e.excess = std::move(explanation.excess);
  e.uneven = explanation.uneven;
  e.waves = std::move(explanation.waves);
  e.what_if = std::move(explanation.what_if);
  e.steps = explanation.steps;
  for (VariantFit& fit : explanation.variants)
    e.variants.push_back(
        {std::move(fit.variant), std::move(fit.doc), fit.rung, std::move(fit.reason), std::move(fit.configuration)});
  return e;
}

}  // namespace kerlab::cli
