#include "device/script/script.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/hash.h"

namespace kerlab::device {

bool is_lab(std::string_view label) {
  return label.starts_with("lab");
}
bool is_reference(std::string_view label) {
  return label.starts_with("reference");
}

const ScriptRule* find_rule(const Script& script, std::string_view label) {
  const std::string text(label);
  for (const ScriptRule& rule : script.rules) {
    if (is_lab(label) && !is_lab(rule.match)) continue;
    if (is_reference(label) && !is_reference(rule.match)) continue;
    if (fnmatch(rule.match.c_str(), text.c_str(), 0) == 0) return &rule;
  }
  return nullptr;
}

double hash01(std::string_view text) {
  const std::string hex = digest(text).substr(0, 13);  // 52 bits: exact in a double
  return static_cast<double>(std::stoull(hex, nullptr, 16)) / static_cast<double>(std::uint64_t{1} << 52);
}

double scripted_us(const ScriptTiming& timing, std::string_view label, std::int64_t launch) {
  const double noise = timing.noise == 0 ? 0 : timing.noise * (2 * hash01(fmt::format("{}#{}", label, launch)) - 1);
  return timing.us * (1 + timing.spread * hash01(label)) * (1 + noise);
}

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::wrong:
      return "wrong";
    case Outcome::nan:
      return "nan";
    case Outcome::guard:
      return "guard";
    case Outcome::input_modified:
      return "input_modified";
    case Outcome::illegal_address:
      return "illegal_address";
    case Outcome::misaligned_address:
      return "misaligned_address";
    case Outcome::trap:
      return "trap";
    case Outcome::hang:
      return "hang";
    case Outcome::sigkill:
      return "sigkill";
    case Outcome::abort:
      return "abort";
    case Outcome::out_of_memory:
      return "out_of_memory";
    case Outcome::load_failed:
      return "load_failed";
    case Outcome::launch_failed:
      return "launch_failed";
    case Outcome::flaky:
      break;
  }
  return "flaky";
}

}  // namespace kerlab::device
