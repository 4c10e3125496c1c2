#pragma once
// What parent and worker say to each other: plain structs, framed as CBOR in messages.cpp (the only file of this module
// that includes the JSON library). Images cross, tensors never do.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/child.h"
#include "device/device.h"
#include "measure/energy_sample.h"
#include "measure/timing.h"
#include "plan/device_info.h"
#include "plan/launch_plan.h"
#include "plan/problem_plan.h"
#include "verify/check_report.h"

namespace kerlab::worker {

inline constexpr std::uint32_t kProtocolVersion = 17;
inline constexpr std::string_view kProtocolMagic = "kerlab-worker";

inline constexpr std::uint32_t kLibraryIds = 1u << 30;

/// What mode sanitize found in one launch.
struct SanitizedLaunch {
  std::string kernel;
  std::int64_t blocks = 0, blocks_run = 0;
  std::vector<Finding> findings;
  bool faulted = false;  ///< the launch ended early, by the last of the findings
  bool operator==(const SanitizedLaunch&) const = default;
};

namespace request {
struct Hello {
  std::uint32_t version = kProtocolVersion;
};
/// `small`: a ragged problem of the same kind, which is checked first; no tensors: none. `placement`: so many MiB are
/// allocated first, so that the data of one process do not lie where those of another did. What is not `timed` needs
/// no more sets of tensors than a check does.
struct SetProblem {
  ProblemPlan problem;
  Bytes lab_image;
  Bytes reference_image;
  ProblemPlan small = {};
  Bytes small_reference_image = {};
  std::uint32_t placement = 0;
  bool timed = true;
  bool operator==(const SetProblem&) const = default;
};
/// Makes the inputs of the first recipe and runs one kernel of the reference over them, that writes FLOPs and least
/// bytes into a workspace `cost`. What the worker held of a problem is gone.
struct CountCost {
  ProblemPlan problem;
  Bytes lab_image;
  Bytes reference_image;
  Launch launch;
  bool operator==(const CountCost&) const = default;
};
/// `small_plan`: the same image on the small problem; no launches: it cannot run there.
struct Load {
  std::uint32_t id = 0;
  std::string label;
  Bytes image;
  LaunchPlan plan;
  LaunchPlan small_plan = {};
};
/// Runs every recipe named (indices into ProblemPlan::recipes) and compares. `thorough`: also both poisons per recipe,
/// reruns that must give the same bits unless `nondeterministic`, and where it fails a report that says more. `fresh`:
/// after timing: the timing recipe with another seed, in the buffers that were timed.
struct Check {
  std::uint32_t id = 0;
  std::vector<std::uint32_t> recipes;
  bool thorough = false;
  Sampling sampling = Sampling::automatic;  ///< emulated only
  bool nondeterministic = false;
  bool fresh = false;
  bool explain = false;  ///< as CheckWishes::explain
  bool hazards = false;  ///< emulated: the order of accesses is looked at, as in a thorough one
};
/// `library`: the rows of the library take part if one was prepared (request::Library), with ids from kLibraryIds on.
/// `lines`: an emulated device counts by PTX instruction too.
struct Time {
  std::vector<std::uint32_t> ids;
  TimingSchedule schedule;
  bool library = false;
  bool lines = false;
};
/// Runs the plan once on the first recipe, on an emulated device and in mode sanitize.
struct Sanitize {
  std::uint32_t id = 0;
};
/// Opens the vendor's library, tries what it offers for the problem, and keeps its own pick and the fastest.
struct Library {};
/// Runs the plan once, for profilers.
struct RunOnce {
  std::uint32_t id = 0;
};
/// Each by itself under load for `seconds`, and the library's rows if one was prepared; GPUs only.
struct Energy {
  std::vector<std::uint32_t> ids;
  double seconds = 0;
  bool library = false;
};
struct Unload {
  std::uint32_t id = 0;
};
struct Health {};      ///< canary kernel and its time
struct Neighbours {};  ///< who else uses the device now
struct Ceilings {};    ///< measured copy, read, FMA peaks; needs SetProblem or its own lab image
struct Bye {};
}  // namespace request
using Request = std::variant<request::Hello, request::SetProblem, request::Load, request::Check, request::Time,
                             request::RunOnce, request::Unload, request::Health, request::Ceilings, request::Library,
                             request::Bye, request::Sanitize, request::Energy, request::Neighbours, request::CountCost>;

namespace reply {
struct Hello {
  std::string magic;
  std::uint32_t version = 0;
  DeviceInfo device;
};
struct ProblemReady {
  double prepare_ms = 0;
  std::int64_t device_bytes = 0;
  int rotation_sets = 1;
};
struct Loaded {
  std::uint32_t id = 0;
  std::vector<KernelResources> resources;
};
struct Checked {
  std::uint32_t id = 0;
  CheckReport report;
};
struct Timed {
  std::vector<SampleSet> samples;
};
/// Rows that can be timed: the id of row i is kLibraryIds + i. None: `message` says why.
struct LibraryReady {
  std::vector<std::string> rows;  ///< "cuBLASLt 13.0.2, best of 8 algorithms (no. 3)", "..., its own pick"
  std::string message;
  double load_ms = 0, choose_ms = 0;
  double read_ms = 0, start_ms = 0;  ///< of load_ms: its code, its handle; the rest is its offer for this problem
};
struct Done {};
/// Not a reply yet: of what a request asks for some more is done. The client gives it its whole deadline anew.
struct Working {};
/// None: `message` says why.
struct Energy {
  std::vector<EnergySample> samples;
  std::string message;
};
/// A fault ends the run and is the last of the findings.
struct Sanitized {
  std::vector<SanitizedLaunch> launches;
};
struct Healthy {
  bool canary_right = false;
  double canary_us = 0;
  std::string text;
};
struct Ceilings {
  std::vector<Ceiling> ceilings;
};
struct Neighbours {
  std::vector<ForeignProcess> processes;
};
/// As the kernel wrote it; what it did not write is NaN.
struct CostCounted {
  double flops = 0, bytes = 0;
};
/// What failed: the small problem is checked first; of the reference no candidate is guilty.
enum class FaultOf : std::uint8_t { problem, small_problem, reference };
/// The request failed. After a sticky fault the worker ends by itself.
struct Fault {
  FaultKind kind = FaultKind::other;
  std::string message;
  bool sticky = false;
  int exit_code = 1;          ///< what a session that cannot have this worker ends with (base/error.h)
  bool device_taken = false;  ///< another kerlab has the device
  FaultOf of = FaultOf::problem;
};
}  // namespace reply
using Reply = std::variant<reply::Hello, reply::ProblemReady, reply::Loaded, reply::Checked, reply::Timed, reply::Done,
                           reply::Healthy, reply::Ceilings, reply::LibraryReady, reply::Fault, reply::Sanitized,
                           reply::Energy, reply::Neighbours, reply::CostCounted, reply::Working>;

Bytes encode(const Request& request);
Bytes encode(const Reply& reply);
/// Throw Error on anything that is not a message of this version.
Request decode_request(std::span<const std::byte> frame);
Reply decode_reply(std::span<const std::byte> frame);

}  // namespace kerlab::worker
