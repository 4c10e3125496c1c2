// The waves of a launch, drawn.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/text/explain_text.h"

namespace kerlab::report {
namespace {

constexpr int kWaveWidth = 40;

std::string row(const std::string& label, std::int64_t items, std::int64_t places, const std::string& after,
                bool unicode) {
  const double share = static_cast<double>(items) / static_cast<double>(places);
  return fmt::format("{:<16}{}  {}\n", label, share_bar(share, kWaveWidth, unicode), after);
}

}  // namespace

std::string share_bar(double share, int width, bool unicode) {
  constexpr std::array kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int steps = unicode ? 8 * width : width;
  int filled = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * steps));
  if (share > 0) filled = std::max(filled, 1);
  if (share < 1) filled = std::min(filled, steps - 1);
  const int per_cell = unicode ? 8 : 1;
  std::string bar;
  int cells = filled / per_cell;
  for (int i = 0; i < cells; ++i) bar += unicode ? "█" : "#";
  if (unicode && filled % 8 != 0) {
    bar += kEighths[static_cast<std::size_t>(filled % 8)];
    ++cells;
  }
  for (int i = cells; i < width; ++i) bar += unicode ? "░" : ".";
  return bar;
}

std::string waves_picture(const LaunchWaves& waves, bool unicode) {
  const WaveFill& fill = waves.fill();
  if (fill.waves == 0) return "";
  const bool tiles = &fill == &waves.tiles;
  const std::string what = tiles ? "round" : "wave";
  const std::int64_t full = fill.last == fill.places ? fill.waves : fill.waves - 1;
  std::string text;
  if (full == 1)
    text += row(what + " 1", fill.places, fill.places, fmt::format("{} of {}", fill.places, fill.places), unicode);
  if (full > 1)
    text += row(fmt::format("{}s 1 to {}", what, full), fill.places, fill.places,
                fmt::format("{} of {} each", fill.places, fill.places), unicode);
  if (full < fill.waves)
    text += row(fmt::format("{} {}", what, fill.waves), fill.last, fill.places,
                fmt::format("{} of {}", fill.last, fill.places), unicode);
  return text;
}

}  // namespace kerlab::report
