#include "measure/clock_probe.h"

#include <algorithm>
#include <span>

namespace kerlab::measure {

void ClockProbe::reset(std::size_t readings) {
  readings_.assign(readings, {});
  used_ = 0;
  const std::size_t bytes = readings * sizeof(Reading);
  if (bytes > memory_.bytes()) memory_ = Allocation(lab_.device(), std::max<std::size_t>(2 * bytes, 4096));
  lab_.device().fill(memory_.pointer(), 0, bytes / 4);
}

void ClockProbe::read() {
  const lab::ClockArguments arguments{memory_.pointer() + used_++ * sizeof(Reading)};
  // One block for each SM; the one on SM 0 answers.
  lab_.device().launch(lab_.bind("lab_clock", arguments, lab_.full_grid() / Lab::kBlocksPerSm, 32));
}

void ClockProbe::fetch() {
  lab_.device().synchronize();
  lab_.device().copy_out(std::as_writable_bytes(std::span(readings_)), memory_.pointer());
}

double ClockProbe::mhz(std::size_t from, std::size_t to) const {
  const Reading &a = readings_.at(from), &b = readings_.at(to);
  if (a.nanoseconds == 0 || b.nanoseconds <= a.nanoseconds || b.cycles <= a.cycles) return 0;
  return 1e3 * static_cast<double>(b.cycles - a.cycles) / static_cast<double>(b.nanoseconds - a.nanoseconds);
}

}  // namespace kerlab::measure
