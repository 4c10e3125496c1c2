#include "report/text/waves_text.h"

#include <fmt/format.h>

#include "base/format.h"

namespace kerlab::report {

namespace {

/// "124 have 4, 8 have 3"
std::string shares(std::int64_t items, std::int64_t places) {
  const SmShare share = share_of_sms(items, places);
  if (share.with_most == places) return fmt::format("each has {}", share.most);
  const auto have = [](std::int64_t number) { return fmt::format("{} {}", number, number == 1 ? "has" : "have"); };
  return fmt::format("{} {}, {} {}", have(share.with_most), share.most, have(places - share.with_most),
                     share.least == 0 ? "none" : fmt::format("{}", share.least));
}

}  // namespace

std::string waves_sentence(const LaunchWaves& waves, int blocks_per_sm, int sms) {
  const WaveFill& blocks = waves.blocks;
  if (waves.stays && waves.tiles.items > 0)
    return fmt::format("{} for {}: {}", format_count(blocks.items, "persistent block"),
                       format_count(waves.tiles.items, "tile"), shares(waves.tiles.items, blocks.items));
  if (waves.stays)
    return fmt::format("{}, as many as are on the device at once, share the work among themselves",
                       format_count(blocks.items, "persistent block"));
  return fmt::format("{} on {} places ({} per SM x {} SMs), {}; of the SMs {}", format_count(blocks.items, "block"),
                     blocks.places, blocks_per_sm, sms, format_count(blocks.waves, "wave"), shares(blocks.items, sms));
}

std::string tail_sentence(const LaunchWaves& waves, double us) {
  const WaveFill& fill = waves.fill();
  const std::string full = fmt::format("{} of the places are taken", format_share(fill.efficiency));
  if (fill.waves == 1) return full + "; one wave has no tail";
  const std::string cost = waves.tail_us < 0.001 * us ? "the tail costs nothing that the model sees"
                                                      : fmt::format("the tail costs about {} us of {} (modelled)",
                                                                    format_us(waves.tail_us), format_us(us));
  return fmt::format("{}, in the last wave {}; {}", full,
                     format_share(static_cast<double>(fill.last) / static_cast<double>(fill.places)), cost);
}

}  // namespace kerlab::report
