#pragma once
// A problem of a thorough check, and how it is checked.

#include <cstdint>
#include <optional>

#include "session/shapes/levels.h"
#include "session/shapes/shape_limits.h"

namespace kerlab::session {

/// What a problem is made for.
enum class MadeFor : std::uint8_t {
  edges,              ///< one of a covering array over what breaks kernels
  long_extent,        ///< beyond 2^16 in one dimension, or 261 of a batch; all else small
  costly_extent,      ///< beyond 2^16 where that is not cheap: in a single block, or where some stand for all
  shared_workspaces,  ///< a batch whose blocks leave something for each other
  many_parts,         ///< more partial results than whoever gathers them has threads
  many_rounds,        ///< so many that they are gathered in several rounds
  bands_of_tiles,  ///< many tiles along one dimension, some along another: they are walked in bands, and one is lower
  idle_workers,    ///< fewer pieces of work than the device has places for blocks, or one more
  far_index,       ///< a tensor has more than 2^31 elements
};

/// What of a check is worth its time on a problem.
enum class Thoroughness : std::uint8_t {
  one_recipe,  ///< the first
  drawn,       ///< numbers drawn, any and such that must agree bit for bit
  quick,       ///< those in which it shows that something is missing, or miscounted: all equal, or of one sign
  telling,     ///< all that tell that something is missing, doubled or elsewhere: no special values
  usual,       ///< all recipes
  thorough,    ///< besides, launches in a row, and blocks in several orders
};

/// What an emulated device executes of a problem, see check_elsewhere.
enum class Executed : std::uint8_t {
  as_usual,
  some_blocks,   ///< which stand for all; where they cannot, all of them, that do little
  first_launch,  ///< of it some blocks, which cannot stand for all: faults are looked for
};

struct CheckedProblem {
  ProblemRequest request;
  MadeFor made_for = MadeFor::edges;
  Thoroughness thoroughness = Thoroughness::usual;
  std::optional<int> sms = {};  ///< multiprocessors that its plan is made for; none: see device_for
  /// Another one of the variant that the problem is for; none: that for which it was sought.
  std::optional<Configuration> configuration = {};
  Executed executed = Executed::as_usual;
};

/// The device that the problem's plan is made for: of as many multiprocessors as it says, or of so few that blocks that
/// stay have several tiles (device_of_few), where it is small enough to be executed whole. None: the configuration is
/// not valid there.
std::optional<DeviceInfo> device_for(const ShapedKernel& kernel, const Problem& problem, std::optional<int> sms);

/// Of such a problem every recipe is cheap.
bool is_little(const ShapedKernel& kernel, const Problem& problem);

/// What is missing of what is large shows in nearly any numbers: of an extent beyond 2^16, or of a problem made for a
/// long extent that has many blocks, unless it is little work, and of what an emulated device takes seconds to start:
/// quick. Of what takes a second to start, or more than the limits have every recipe for: telling. Else usual.
Thoroughness thoroughness_of(const ShapedKernel& kernel, const Problem& problem, const ShapeLimits& limits,
                             MadeFor made_for = MadeFor::edges);

}  // namespace kerlab::session
