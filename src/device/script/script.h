#pragma once
// What a pretended device is and what configurations do on it, as a TOML file says (examples: configs/scripts/*.toml).
// clang-format off
//
//   [device]                 # any field of DeviceInfo; what is not given is that of an H200
//   name = "Scripted H200"
//   cc = "9.0"
//   memory_bytes = 150754820096
//   neighbours = "others"    # who else uses the device: a file, relative to the script, that is read whenever somebody
//                            #   asks; a line is "PID NAME MiB", "PID" alone is a process that cannot be named. "nvml":
//                            #   whom NVML names for the GPU of this uuid
//   opened = "opened"        # a file, likewise, that counts how often the device was opened: its noise differs then,
//                            #   while without it every process sees the same times
//   library = false          # true: a vendor's library is asked for, as on a GPU
//   conditions = "now"       # a file, likewise: "REASONS WATTS CELSIUS", the first as NVML's bits (0x40: too hot)
//
//   [default]                # time of one launch: us * (1 + spread * h(label)) * (1 + noise * e(label, launch number))
//   us = 100.0               #   h in [0, 1) and e in [-1, 1) are hashes: the same in every run. Keep it above the roof
//   spread = 0.5             #   of the problem, or the result is rejected as impossibly fast
//   noise = 0.002
//   launch_overhead_us = 0   # added to launches that are not in a graph
//   registers = 64           # per thread, as the driver would tell
//   real_sleep = false       # true: a launch also takes its time on the wall clock (for tests that kill a session)
//
//   [[rule]]                 # the first whose pattern matches the label given to Device::load wins
//   match = "reg2d BM=128 *" # glob. Labels that begin with "lab" or "reference" (kerlab's own kernels) match only a
//                            #   pattern that begins so: match = "lab*" with outcome = "wrong" is a sick device
//   us = 80.0                # also spread (0 when us is given), noise, registers
//   outcome = "wrong"        # ok, wrong, nan, guard, input_modified, illegal_address, misaligned_address, trap, hang,
//                            #   sigkill, abort, out_of_memory, load_failed, launch_failed; flaky: every second launch
//                            #   is wrong
//   stage = "launch"         # launch; load: while loading (default of load_failed and out_of_memory); time: only
//                            #   launches that follow an event recorded after the result was compared
//   after = 0                # that many launches (at stage time: timed launches) go well first
//   once_file = "happened"   # relative to the script; made when it happens, and while it exists all is well, so that a
//                            #   respawned worker behaves
//
// clang-format on

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/device_info.h"

namespace kerlab::device {

enum class Outcome : std::uint8_t {
  ok,
  wrong,
  nan,
  guard,
  input_modified,
  illegal_address,
  misaligned_address,
  trap,
  hang,
  sigkill,
  abort,
  out_of_memory,
  load_failed,
  launch_failed,
  flaky
};
std::string_view name(Outcome outcome);

enum class ScriptStage : std::uint8_t { load, launch, time };

/// How long a launch takes and what the driver would say of the kernel.
struct ScriptTiming {
  double us = 100;
  double spread = 0.5;
  double noise = 0.002;
  int registers = 64;
  bool operator==(const ScriptTiming&) const = default;
};

struct ScriptRule {
  std::string match;
  ScriptTiming timing;
  Outcome outcome = Outcome::ok;
  ScriptStage stage = ScriptStage::launch;
  std::int64_t after = 0;
  std::filesystem::path once_file;  ///< absolute, or empty
};

struct Script {
  DeviceInfo device;
  std::string opened;      ///< an absolute file, or empty
  std::string conditions;  ///< an absolute file, or empty: nothing is known
  std::string neighbours;  ///< "nvml", an absolute file, or empty: nobody
  ScriptTiming timing;
  double launch_overhead_us = 0;
  bool real_sleep = false;
  std::vector<ScriptRule> rules;
};

/// Throws Error with file:line:column for anything that is not as above.
Script read_script(const std::filesystem::path& file);

/// The first rule for this label, or null.
const ScriptRule* find_rule(const Script& script, std::string_view label);

/// kerlab's own kernels: labels that begin with "lab" or "reference".
bool is_lab(std::string_view label);
bool is_reference(std::string_view label);

/// Time of the `launch`-th launch (from 0), microseconds.
double scripted_us(const ScriptTiming& timing, std::string_view label, std::int64_t launch);

/// A hash of the text in [0, 1).
double hash01(std::string_view text);

}  // namespace kerlab::device
