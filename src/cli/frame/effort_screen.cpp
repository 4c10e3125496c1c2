#include "cli/frame/effort_screen.h"

#include "base/format.h"
#include "cli/frame/why_screen.h"

namespace kerlab::cli {

namespace {

bool ran_emulated(const TuneResult& result) {
  return result.device.counts_exactly;
}

/// "GPU busy 71 %", "GPUs busy 71 % cuda:0 (84 tried), 69 % cuda:1 (78 tried)"
std::string devices_busy(const TuneResult& result) {
  const std::string kind = ran_emulated(result) ? "emulator" : "GPU";
  if (result.devices.size() == 1) return fmt::format("{} busy {:.0f} %", kind, 100 * result.gpu_busy);
  std::vector<std::string> parts;
  for (const TunedDevice& device : result.devices)
    parts.push_back(fmt::format("{:.0f} % {} ({} tried)", 100 * device.busy, device.info.id, device.tried));
  return fmt::format("{}s busy {}", kind, fmt::join(parts, ", "));
}

}  // namespace

std::string effort_text(const TuneResult& result) {
  std::string text = fmt::format("{}, compilers {:.0f} %, wall {}", devices_busy(result), 100 * result.compilers_busy,
                                 format_seconds(result.wall_s));
  if (result.finals_s > 0)
    text +=
        fmt::format(" ({} to open, {} for the finals)", format_seconds(result.open_s), format_seconds(result.finals_s));
  if (result.library_s > 0) text += fmt::format(", {} of it for the library", format_seconds(result.library_s));
  if (ran_emulated(result) && result.wall_s > 0 && result.counts.done > result.counts.stored)
    text += fmt::format(", {:.1f} configurations/s",
                        static_cast<double>(result.counts.done - result.counts.stored) / result.wall_s);
  if (const std::string compiled = compile_text(result.variants); !compiled.empty()) text += "; " + compiled;
  if (result.respawns > 0)
    text += fmt::format(", {} worker{} replaced", result.respawns, result.respawns == 1 ? "" : "s");
  return text;
}

std::string where_measured(const TuneResult& result) {
  if (result.devices.size() < 2 || !result.measured_now || result.rows.empty()) return {};
  return fmt::format("the sweep ran on {} devices; what is listed was measured anew on {} alone\n",
                     result.devices.size(), result.device.id);
}

JsonValue devices_value(const std::vector<TunedDevice>& devices) {
  JsonValue::Array values;
  for (const TunedDevice& device : devices)
    values.push_back(JsonValue::Object{{"id", device.info.id},
                                       {"name", device.info.name},
                                       {"uuid", device.info.uuid},
                                       {"tried", device.tried},
                                       {"busy", device.busy},
                                       {"lost", device.lost}});
  return values;
}

}  // namespace kerlab::cli
