#pragma once
// What parent and worker say to each other: plain structs, framed as CBOR in messages.cpp (the only file of this module
// that includes the JSON library). Images cross, tensors never do.

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/child.h"
#include "device/device.h"
#include "plan/device_info.h"
#include "plan/launch_plan.h"
#include "plan/problem_plan.h"

namespace kerlab {

inline constexpr std::uint32_t kProtocolVersion = 1;
inline constexpr std::string_view kProtocolMagic = "kerlab-worker";

/// How to sample. One entry of the schedule = one sample of one loaded candidate.
struct TimingSchedule {
  int rounds = 3;                ///< samples per candidate, interleaved over candidates in a shuffled order per round
  bool cold = true;              ///< rotate over more than twice the L2, else hot
  double abandon_us = 0;         ///< a candidate whose first sample is slower gets no more; 0: never
  double batch_below_us = 10;    ///< faster ones are timed as a graph of many
  bool settle = true;            ///< wait for the clocks first
  std::uint64_t seed = 1;        ///< of the shuffle
};

namespace request {
struct Hello { std::uint32_t version = kProtocolVersion; };
struct SetProblem { ProblemPlan problem; Bytes lab_image; Bytes reference_image; };
struct Load { std::uint32_t id = 0; std::string label; Bytes image; LaunchPlan plan; };
/// Runs every recipe named (indices into ProblemPlan::recipes) and compares. `thorough`: also both poisons per recipe
/// and a bitwise repeat.
struct Check { std::uint32_t id = 0; std::vector<std::uint32_t> recipes; bool thorough = false; };
struct Time { std::vector<std::uint32_t> ids; TimingSchedule schedule; };
/// Runs the plan once, for profilers.
struct RunOnce { std::uint32_t id = 0; };
struct Unload { std::uint32_t id = 0; };
struct Health {};                ///< canary kernel and its time
struct Ceilings {};              ///< measured copy, read, FMA peaks; needs SetProblem or its own lab image
struct Bye {};
}  // namespace request
using Request = std::variant<request::Hello, request::SetProblem, request::Load, request::Check, request::Time,
                             request::RunOnce, request::Unload, request::Health, request::Ceilings, request::Bye>;

/// What one recipe showed for one output.
struct RecipeReport {
  std::string recipe, output;
  bool passed = false;
  std::int64_t compared = 0, mismatches = 0, nans = 0;
  double error_ratio = 0;        ///< largest err / tolerance; infinite for NaN
  double rms_ratio = 0;          ///< rms of err / tolerance
  std::int64_t worst_index = -1;
  double worst_got = 0, worst_expected = 0, worst_tolerance = 0;
  std::string detail;            ///< "[12, 4095]: got 3.5, expected 3.25 +- 0.01", or empty
};

struct CheckReport {
  std::vector<RecipeReport> recipes;
  std::string guard_violation;   ///< "D: 16 bytes after its end overwritten, first at +0"; empty: none
  std::string input_modified;    ///< "A"; empty: none
  double first_us = 0;           ///< of the first run, cold module
  [[nodiscard]] bool passed() const;
  [[nodiscard]] double error_ratio() const;
  [[nodiscard]] std::int64_t mismatches() const;
};

struct SampleSet {
  std::uint32_t id = 0;
  std::vector<double> samples_us;
  std::vector<double> sm_clock_mhz;  ///< per sample; empty when unknown
  std::string protocol;              ///< "events-1", "graph-1"
  std::string cache;                 ///< cold, hot
  std::string clock;                 ///< measured, modelled, scripted
  bool abandoned = false;
  std::string guard_violation;       ///< scanned after timing as well
  std::string warning;               ///< "launch-bound", "clocks did not settle", ...
};

/// One measured ceiling of the device.
struct Ceiling {
  std::string name;                  ///< copy, read, write, fp32_fma, fp64_fma, bf16_mma, ...
  std::string unit;                  ///< "B/s", "FLOP/s"
  double value = 0;
};

namespace reply {
struct Hello { std::string magic; std::uint32_t version = 0; DeviceInfo device; };
struct ProblemReady { double prepare_ms = 0; std::int64_t device_bytes = 0; int rotation_sets = 1; };
struct Loaded { std::uint32_t id = 0; std::vector<KernelResources> resources; };
struct Checked { std::uint32_t id = 0; CheckReport report; };
struct Timed { std::vector<SampleSet> samples; };
struct Done {};
struct Healthy { bool canary_right = false; double canary_us = 0; std::string text; };
struct Ceilings { std::vector<Ceiling> ceilings; };
/// The request failed. After a sticky fault the worker ends by itself.
struct Fault { FaultKind kind = FaultKind::other; std::string message; bool sticky = false; };
}  // namespace reply
using Reply = std::variant<reply::Hello, reply::ProblemReady, reply::Loaded, reply::Checked, reply::Timed, reply::Done,
                           reply::Healthy, reply::Ceilings, reply::Fault>;

Bytes encode(const Request& request);
Bytes encode(const Reply& reply);
/// Throw Error on anything that is not a message of this version.
Request decode_request(std::span<const std::byte> frame);
Reply decode_reply(std::span<const std::byte> frame);

}  // namespace kerlab
