#pragma once
// The problems of a thorough check beside the one that was asked for: a covering array over what breaks kernels.

#include "session/shapes/levels.h"
#include "session/shapes/parts.h"

namespace kerlab::session {

struct AdversarialShapes {
  std::vector<ProblemRequest> shapes;
  std::vector<ProblemRequest> thin;     ///< one extent beyond 2^16 each, the others at their least
  std::vector<ProblemRequest> lone;     ///< the same, in one block that has much to do: for one recipe
  std::optional<MeetingShape> meeting;  ///< several of a batch whose blocks share workspaces
  std::optional<ProblemRequest> parts;  ///< more partial results than threads; for all of the device's multiprocessors
  std::optional<RoundsShape> rounds;    ///< as many as three rounds of a block; for all of them as well
  std::size_t goals = 0;                ///< that the shapes reach
  std::vector<std::string> lost;        ///< that no valid problem reaches
  std::vector<std::string> left;        ///< that a valid one would, but not within the number of shapes and their cost
};

/// How many problems, and how large.
struct ShapeLimits {
  std::size_t shapes = 26;      ///< with the flags asked for
  std::size_t with_flags = 12;  ///< with others, each another program
  double bytes = 0, flops = 0;  ///< of a problem, as its reference is computed; 0: see limits_for
};
/// What a device does in about a second a problem.
ShapeLimits limits_for(const DeviceInfo& device);

/// Problems for which the configuration is valid, on as few multiprocessors as a check's plans are made for. The first
/// is long enough that rings of stages are wrapped, with a remainder, and has several tiles. Then:
/// - of each dimension its least extent, 1, one below, at and one above its tiles, every residue modulo the widest
///   access, and one long ragged extent; these alignments (odd, 2, 4, ...) in pairs over the dimensions;
/// - scalars with 24 significant bits, 0, -1, 1 and 3, in pairs, also where a dimension is at its least;
/// - a small batch, and gaps behind the rows of variants that take a pitch;
/// - every value of every flag that the variant takes, in pairs with others and with the scalars.
/// Beside these, in `thin`, `parts` and `rounds`, problems that are large in one thing alone (session/shapes/thin.h,
/// parts.h). Extents are found dimension by dimension among those valid beside the first problem's.
AdversarialShapes adversarial_shapes(const ShapedKernel& kernel, const Problem& asked, const ShapeLimits& limits);

}  // namespace kerlab::session
