// What a roofline means, said in a sentence.

#include "base/format.h"
#include "session/analyse/roofline.h"

namespace kerlab::session {

namespace {

/// "14", "0.25", "1365": enough to compare.
std::string intensity_text(double value) {
  return value >= 10 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

/// "copy bandwidth", "mma.sync peak", "FMA peak": what stands in the way.
std::string ceiling_text(const ProblemRoofline& problem, bool memory_bound, bool measured) {
  if (memory_bound) return measured ? problem.bandwidth + " bandwidth" : "bandwidth";
  if (problem.theoretical.unit != "tensor pipe") return problem.theoretical.unit + " peak";
  return measured ? "mma.sync peak" : "tensor pipe peak";
}

/// No word of a bottleneck: that is said once, beside it (model/bottleneck.h).
std::string place_under(const ProblemRoofline& problem, const Roofline& roof) {
  return fmt::format("{} FLOP/byte is {} of the ridge at {}: the roof there is the {}", intensity_text(roof.intensity),
                     roof.memory_bound ? "left" : "right", intensity_text(roof.ridge),
                     roof.memory_bound ? "memory bandwidth" : problem.theoretical.unit + " peak");
}

/// Why a winner may stand above a ceiling that was measured.
std::string above_text(bool memory_bound) {
  return memory_bound ? "; above 100 % because part of the data stayed in the L2 cache"
                      : "; above 100 % because it does not use the instruction that the ceiling kernel uses";
}

std::string winner_text(const ProblemRoofline& problem, const RooflinePoint& point, const Roofline& roof) {
  const std::string rate =
      roof.memory_bound ? format_si(point.bytes_per_s, "B/s") : format_si(point.flops_per_s, "FLOP/s");
  const std::string who = point.winner            ? "the winner"
                          : point.shipped.empty() ? "the best stored trial"
                                                  : fmt::format("the shipped winner ({})", point.shipped);
  const std::string theoretical = fmt::format("{} of the theoretical {}", format_share(point.of_theoretical),
                                              ceiling_text(problem, roof.memory_bound, false));
  if (!problem.measured || (!roof.memory_bound && !problem.measured->measured_peak))
    return fmt::format("; {} reaches {}, {}", who, rate, theoretical);
  return fmt::format("; {} reaches {}, {} of the {} {} ({}){}", who, rate, format_share(point.of_measured),
                     name(*problem.measured->clock), ceiling_text(problem, roof.memory_bound, true), theoretical,
                     point.of_measured > 1.02 ? above_text(roof.memory_bound) : "");
}

}  // namespace

std::string roofline_sentence(const ProblemRoofline& problem) {
  const Roofline& roof = problem.measured_roof ? *problem.measured_roof : problem.roof;
  std::string text = place_under(problem, roof);
  if (problem.points.empty()) return text + "; nothing of it is stored yet (kerlab tune)";
  const RooflinePoint& point = problem.points.front();
  if (!point.shipped.empty()) text += "; nothing of it is stored yet (kerlab tune)";
  text += winner_text(problem, point, roof);
  if (point.measurement.clock != ClockKind::measured)
    text += fmt::format(" -- {} times, not those of a GPU", name(point.measurement.clock));
  return text;
}

}  // namespace kerlab::session
