#pragma once
// Problems under the roofline of a device: what the device allows, by its data sheet and as measured, and what the
// stored trials reach. Measures nothing but ceilings.

#include "session/find/problem_bottleneck.h"
#include "session/find/shipped.h"
#include "session/run/ceilings.h"
#include "session/run/problem_setup.h"
#include "session/run/stepped.h"

namespace kerlab::session {

struct RooflineOptions {
  RigOptions rig;  ///< target empty: every problem with a stored winner of this device class
  std::vector<ProblemArgument> arguments;
  std::string dtype;         ///< empty: the family's first that the device supports
  bool measure = false;      ///< ceilings anew, even if stored
  bool only_stored = false;  ///< no ceilings are measured, even if none is stored
};

/// A stored trial under the roof.
struct RooflinePoint {
  Trial trial;
  Measurement measurement;
  bool winner = false;
  std::string
      shipped;  ///< "H200 132 SM, 2026-11-21": where and when a shipped winner was measured; its trial is not stored
  double flops_per_s = 0, bytes_per_s = 0;  ///< by the problem's FLOP and least bytes
  double of_theoretical = 0;                ///< fraction of the attainable roof
  double of_measured = 0;                   ///< 0: no measured ceilings
};

struct ProblemRoofline {
  std::string title, key;
  DType dtype = DType::fp32;
  double flops = 0, bytes = 0;
  bool cost_from_data = false;     ///< both were counted; else formulas say them
  std::string bandwidth = "copy";  ///< which measured bandwidth its traffic is like: copy, read, write
  Ceilings theoretical;
  Roofline roof;  ///< by the theoretical ceilings
  std::optional<Ceilings> measured;
  std::optional<Roofline> measured_roof;
  /// The winner first (if there is one), then the best of each other variant, last what is shipped.
  std::vector<RooflinePoint> points;
  std::vector<LibraryTime> library;  ///< as last timed, beside whatever it was
  std::string sentence;              ///< all of this in one
  ProblemBottleneck bottleneck;      ///< of the problem, whatever the kernel
};

struct RooflineReport {
  DeviceInfo device;
  MeasuredCeilings measured;
  bool measured_now = false;
  std::vector<ProblemRoofline> problems;
  std::vector<std::string> warnings;
};

/// Throws UsageError, Error (no device).
Stepped<RooflineReport> make_rooflines(RooflineOptions options, Database& database);

/// One problem without any point: what the device allows.
ProblemRoofline problem_roof(const Family& family, const Problem& problem, const DeviceInfo& device,
                             const MeasuredCeilings& measured);

/// Puts what a kernel of [cost] counted in the place of what the formulas say, for the points as well.
void use_counted_cost(ProblemRoofline& problem, double flops, double bytes);

/// A trial under the problem's roof.
RooflinePoint point_under(const ProblemRoofline& problem, Trial trial, Measurement measurement);

/// One problem, from what is stored and what is shipped for such a device.
ProblemRoofline problem_roofline(const Family& family, const Problem& problem, const DeviceInfo& device,
                                 const MeasuredCeilings& measured, const Database& database,
                                 const std::vector<ShippedWinner>& shipped = {});

/// "memory-bound: intensity 0.25 FLOP/byte is left of the ridge at 14; the winner reaches 93 % of the measured copy
/// bandwidth".
std::string roofline_sentence(const ProblemRoofline& problem);

}  // namespace kerlab::session
