#include "cli/analyse/roofline_drawing.h"

#include <algorithm>

#include "base/format.h"
#include "cli/frame/library_cells.h"

namespace kerlab::cli {

namespace {

// Bytes that an SM's shared memory moves in a clock: 32 banks of 4 bytes (CUDA C++ Programming Guide).
constexpr double kSharedBytesPerClock = 128;

SvgCeiling pipe_of(const ProblemRoofline& problem, const RooflineReport& report) {
  const std::string& unit = problem.theoretical.unit;
  return {fmt::format("{} {}", name(problem.dtype), unit), problem.theoretical.flops_per_s,
          report.measured.value(peak_name(problem.dtype, unit))};
}

SvgCeiling fp32_pipe(const RooflineReport& report) {
  const Ceilings ceilings = theoretical_ceilings(report.device, DType::fp32, false);
  return {"fp32 FMA", ceilings.flops_per_s, report.measured.value(peak_name(DType::fp32, ceilings.unit))};
}

/// Every pipe once: dtypes of one rate share a line.
void add_pipe(std::vector<SvgCeiling>& pipes, const SvgCeiling& pipe) {
  for (SvgCeiling& known : pipes) {
    if (known.label == pipe.label) return;
    if (known.theoretical != pipe.theoretical) continue;
    known.label = fmt::format("{}, {}", pipe.label.substr(0, pipe.label.find(' ')), known.label);
    known.measured = std::max(known.measured, pipe.measured);
    return;
  }
  pipes.push_back(pipe);
}

/// `bandwidth`: which of the measured ones.
void add_memories(RooflineDrawing& drawing, const RooflineReport& report, const std::string& bandwidth) {
  drawing.memories.push_back({"memory", report.problems.front().theoretical.bytes_per_s,
                              report.measured.value(bandwidth), "memory " + bandwidth});
  const DeviceInfo& device = report.device;
  if (device.sms > 0 && device.clock_mhz > 0)
    drawing.memories.push_back({"shared memory", kSharedBytesPerClock * device.sms * device.clock_mhz * 1e6, 0});
}

/// "471.6 TFLOP/s, 68 %"
std::string value_text(double flops_per_s, double share) {
  return fmt::format("{}, {:.{}f} %", format_si(flops_per_s, "FLOP/s"), 100 * share, share < 0.0995 ? 1 : 0);
}

/// The share is of the measured roof where there is one.
std::string value_of(const RooflinePoint& point) {
  return value_text(point.flops_per_s, point.of_measured > 0 ? point.of_measured : point.of_theoretical);
}

SvgPoint to_point(const ProblemRoofline& problem, const LibraryTime& time) {
  const Roofline roof = problem.measured_roof.value_or(problem.roof);
  const double flops_per_s = problem.flops / time.median_us * 1e6;
  return {SvgPoint::Kind::library, library_short(time.label), value_text(flops_per_s, roof.minimum_us / time.median_us),
          problem.roof.intensity, flops_per_s};
}

SvgPoint to_point(const ProblemRoofline& problem, const RooflinePoint& point, std::string label) {
  return {point.winner ? SvgPoint::Kind::winner : SvgPoint::Kind::other, std::move(label), value_of(point),
          problem.roof.intensity, point.flops_per_s};
}

std::string device_text(const RooflineReport& report) {
  const DeviceInfo& device = report.device;
  std::string text = fmt::format("{}, {} SM; shares are of the {} roof", device.name, device.sms,
                                 report.measured.rows.empty() ? "data sheet's" : name(report.measured.clock));
  if (report.measured.clock != ClockKind::measured)
    text += fmt::format("; times are {}, but for what is shipped", name(report.measured.clock));
  return text;
}

}  // namespace

RooflineDrawing roofline_drawing(const RooflineReport& report, bool one_problem) {
  RooflineDrawing drawing;
  drawing.measured = name(report.measured.clock);
  drawing.subtitle = device_text(report);
  add_memories(drawing, report, one_problem ? report.problems.front().bandwidth : "copy");
  for (const ProblemRoofline& problem : report.problems) add_pipe(drawing.pipes, pipe_of(problem, report));
  add_pipe(drawing.pipes, fp32_pipe(report));
  if (!one_problem) {
    drawing.title = "winners";
    for (const ProblemRoofline& problem : report.problems)
      drawing.points.push_back(
          to_point(problem, problem.points.front(),
                   fmt::format("{}: {}{}", problem.title, variant_text(problem.points.front().trial),
                               problem.points.front().shipped.empty() ? "" : " (shipped)")));
    return drawing;
  }
  const ProblemRoofline& problem = report.problems.front();
  drawing.title = problem.title;
  drawing.caption = {problem.sentence};
  drawing.caption.push_back("bottleneck: " + sentence(problem.bottleneck));
  for (const RooflinePoint& point : problem.points)
    drawing.points.push_back(
        to_point(problem, point, variant_text(point.trial) + (point.shipped.empty() ? "" : " (shipped)")));
  for (const LibraryTime& time : problem.library) drawing.points.push_back(to_point(problem, time));
  return drawing;
}

}  // namespace kerlab::cli
